import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@slipstream/ledger';
import { openKeyValue } from '@slipstream/platform';
import { type PeerKey, silentTelemetry } from '@slipstream/ports';
import { asId, type BlockId, GENESIS_EPOCH, type GenesisHash, type Vote, view } from '@slipstream/types';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { syncFolder } from '../../../../apps/node/src/storage/sync-folder.ts';
import { carryRecords } from '../../src/state-sync/carry-records.ts';

const GENESIS_HASH = asId<GenesisHash>(new Uint8Array(32).fill(7));
const RECORD = { peer: 'ab'.repeat(32) as PeerKey, reason: 'invalid-signature' as const, detail: 'a vote', atMs: 5 };

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function open(name: string) {
  const keyValue = await openKeyValue({ location: join(folder, name) });
  return openLedger({ keyValue, telemetry: silentTelemetry }, { genesisHash: GENESIS_HASH });
}

function vote(fill: number): Vote {
  const blockId = asId<BlockId>(new Uint8Array(32).fill(fill));
  return {
    subject: { kind: 'finalize', epoch: GENESIS_EPOCH, view: view(3), blockId },
    signer: 2,
    signature: new Uint8Array(192),
  };
}

it('evidence and blocked peers are carried over when a snapshot replaces the ledger', async () => {
  const before = await open('before');
  const evidence = { type: 'votes' as const, offender: 2, first: vote(1), second: vote(2) };
  await before.putEvidence(evidence);
  await before.putPeerBlock(RECORD);
  await before.close();
  const after = await open('after');
  await carryRecords(syncFolder(folder), 'before', after, silentTelemetry);
  expect(await after.evidence(10)).toEqual([evidence]);
  expect(await after.peerBlocks()).toEqual([RECORD]);
  await after.close();
});

it('an unreadable or missing ledger does not prevent joining', async () => {
  await writeFile(join(folder, 'damaged'), 'no folder');
  const after = await open('after');
  await carryRecords(syncFolder(folder), 'damaged', after, silentTelemetry);
  await carryRecords(syncFolder(folder), 'missing', after, silentTelemetry);
  expect(await after.peerBlocks()).toEqual([]);
  await after.close();
});
