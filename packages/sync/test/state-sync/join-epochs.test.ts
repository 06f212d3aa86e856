/** A node that knows genesis alone takes over a state of a later epoch, into real LevelDB. */

import { type createLedgerReader, openLedger } from '@slipstream/ledger';
import { createClock, createRandom } from '@slipstream/platform';
import { type PeerKey, silentTelemetry } from '@slipstream/ports';
import {
  type Block,
  blockIdOf,
  type EpochEntry,
  epochEntriesCodec,
  epoch as epochOf,
  type Finalization,
  GENESIS_EPOCH,
  handoverOf,
  type StateCertificate,
  stateDigestOf,
} from '@slipstream/types';
import { expect, test } from 'vitest';
import { syncFolder } from '../../../../apps/node/src/storage/sync-folder.ts';
import { newestLinkedRecord } from '../../src/state-sync/carry-records.ts';
import { stageIfFar } from '../../src/state-sync/join.ts';
import { manifestCodec } from '../../src/state-sync/manifest.ts';
import type { Sources } from '../../src/state-sync/sources.ts';
import {
  GENESIS_HASH,
  NEXT_RECORD,
  olderFolder,
  PARAMETERS,
  RECORD,
  type SnapshotChain,
  snapshotChain,
  sourcesOf,
  VERIFIER,
} from './snapshot-chain.ts';
import { zstd } from './zstd.ts';

const TIP = 12;
/** Within the minute of blocks that is fetched. */
const BOUNDARY = 11;

const chain = await snapshotChain(TIP, 'honest', BOUNDARY);
const boundary = chain.blocks[BOUNDARY] as Block;
const signed = { signers: [0, 1, 2], aggregate: new Uint8Array(96) };

function certificateAt(at: number): StateCertificate {
  const preimage = chain.preimages[at] as SnapshotChain['preimages'][number];
  const { epoch, view, height } = chain.blocks[at] as Block;
  const stateDigest = stateDigestOf(GENESIS_HASH, preimage);
  return { subject: { kind: 'certify', epoch, view, height, blockId: preimage.blockId, stateDigest }, ...signed };
}

const finalization: Finalization = {
  subject: { kind: 'finalize', epoch: GENESIS_EPOCH, view: boundary.view, blockId: blockIdOf(boundary) },
  ...signed,
};
const preimage = chain.preimages[BOUNDARY] as SnapshotChain['preimages'][number];
const handover = handoverOf(RECORD, NEXT_RECORD, { preimage, certificate: certificateAt(BOUNDARY) });
const END = { blockId: blockIdOf(boundary), block: boundary, fillers: [], certificate: finalization };
const ENTRIES: readonly EpochEntry[] = [
  { record: RECORD, handover, end: END },
  { record: NEXT_RECORD, handover: undefined, end: undefined },
];

/** One peer, which is no member of any committee. */
function serving(epochs: readonly EpochEntry[], manifest = chain.manifest) {
  const { sources, blocked } = sourcesOf(chain);
  const asking: Sources = {
    ...sources,
    async ask(peer, what) {
      const nothing = { requestId: 1, blocks: [], certificates: [], chunks: [], more: false };
      if (what.query === 'snapshot') return { ...nothing, chunks: [manifestCodec.encode(manifest)] };
      if (what.query !== 'epochs') return sources.ask(peer, what);
      const { from = 0, to = 0 } = what;
      const served = epochs.filter(({ record }) => record.epoch >= from && record.epoch <= to);
      return { ...nothing, chunks: served.length === 0 ? [] : [epochEntriesCodec.encode(served)] };
    },
  };
  return { sources: asking, blocked };
}

async function joinInto(folder: string, sources: Sources, named: readonly PeerKey[] = sources.available()) {
  const world = { clock: createClock(), random: createRandom(), telemetry: silentTelemetry };
  const ended = new AbortController();
  const components = {
    ...world,
    folder: syncFolder(folder),
    compression: zstd,
    verifier: VERIFIER,
    openSources: async () => sources,
    signal: ended.signal,
  };
  const setting = {
    genesisHash: GENESIS_HASH,
    record: RECORD,
    self: 'self' as PeerKey,
    parameters: PARAMETERS,
    distance: 4,
    named,
  };
  const joining = await stageIfFar(components, setting, { height: 0 });
  if (typeof joining !== 'string') await joining.install();
  return joining;
}

test('it waits for the peer that its operator named, however fast others answer', async () => {
  const { folder, remove } = await olderFolder();
  try {
    const { sources } = serving(ENTRIES);
    const [named] = sources.available();
    const strangers = ['stranger', 'another'] as PeerKey[];
    const crowded: Sources = {
      ...sources,
      available: () => [...strangers, ...sources.available()],
      async ask(peer, what) {
        if (strangers.includes(peer)) return { requestId: 1, blocks: [], certificates: [], chunks: [], more: false };
        if (what.query === 'snapshot') await new Promise((resolve) => setTimeout(resolve, 200));
        return sources.ask(peer, what);
      },
    };
    expect(await joinInto(folder, crowded, [named as PeerKey])).toMatchObject({ height: TIP });
  } finally {
    await remove();
  }
});

async function readJoined<T>(folder: string, read: (ledger: ReturnType<typeof createLedgerReader>) => Promise<T>) {
  const data = syncFolder(folder);
  const keyValue = await data.openLedgerStore(data.paths.ledger);
  const ledger = await openLedger({ keyValue, telemetry: silentTelemetry }, { genesisHash: GENESIS_HASH });
  try {
    return await read(ledger);
  } finally {
    await ledger.close();
  }
}

test('it follows the handovers, and its ledger has records, handovers and the end of the last epoch', async () => {
  const { folder, remove } = await olderFolder();
  try {
    const { sources, blocked } = serving(ENTRIES);
    expect(await joinInto(folder, sources)).toMatchObject({ height: TIP });
    expect(blocked).toEqual([]);
    const joined = await readJoined(folder, async (ledger) => ({
      epoch: await ledger.latestEpoch(),
      records: [await ledger.record(epochOf(0)), await ledger.record(epochOf(1)), await ledger.record(epochOf(2))],
      handovers: await ledger.handovers(epochOf(0), 8),
      end: await ledger.epochEnd(epochOf(0)),
      range: await ledger.finalizedRange(BOUNDARY, TIP),
      linked: await newestLinkedRecord(ledger),
    }));
    expect(joined).toMatchObject({ epoch: 1, records: [RECORD, NEXT_RECORD, undefined], linked: NEXT_RECORD });
    expect(joined.handovers).toEqual([handover]);
    expect(joined.end).toEqual(END);
    expect(joined.range).toMatchObject({ blocks: [boundary], certificates: [finalization] });
  } finally {
    await remove();
  }
});

test('it serves no end whose signature does not hold', async () => {
  const { folder, remove } = await olderFolder();
  try {
    const forged = { ...END, certificate: { ...finalization, aggregate: new Uint8Array(96).fill(1) } };
    const { sources } = serving(ENTRIES.map((entry) => ({ ...entry, end: entry.end && forged })));
    expect(await joinInto(folder, sources)).toMatchObject({ height: TIP });
    expect(await readJoined(folder, (ledger) => ledger.epochEnd(epochOf(0)))).toBeUndefined();
    expect(await readJoined(folder, (ledger) => ledger.record(epochOf(1)))).toEqual(NEXT_RECORD);
  } finally {
    await remove();
  }
});

test('a state of an epoch that no handovers lead to is not taken', async () => {
  const { folder, remove } = await olderFolder();
  try {
    const { sources, blocked } = serving(ENTRIES.map((entry) => ({ ...entry, handover: undefined })));
    expect(await joinInto(folder, sources)).toBe('near');
    expect(blocked).toEqual([]);
  } finally {
    await remove();
  }
});

test('a manifest is judged by the committee of its epoch', async () => {
  const { folder, remove } = await olderFolder();
  try {
    const { certificate } = chain.manifest;
    const manifest = { ...chain.manifest, certificate: { ...certificate, signers: [0, 1] } };
    const { sources, blocked } = serving(ENTRIES, manifest);
    expect(await joinInto(folder, sources)).toBe('near');
    expect(blocked).toEqual([expect.stringContaining('lacks a quorum of signers')]);
  } finally {
    await remove();
  }
});
