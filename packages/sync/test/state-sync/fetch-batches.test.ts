/** Records of distilled batches come with the receipts of the last minute, so a batch that ran before the snapshot runs no second time. */
import { type BatchLeaf, batchesRootOf, batchIdOf, encodeBatchRecord, outcomesRootOf } from '@slipstream/distilled';
import { openLedger } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import { type PeerKey, silentTelemetry } from '@slipstream/ports';
import { type Block, merkleRoot, type SyncResponse } from '@slipstream/types';
import { expect, test } from 'vitest';
import { syncFolder } from '../../../../apps/node/src/storage/sync-folder.ts';
import { batchOf, row } from '../../../execution/test/distilled-builders.ts';
import { fetchRecentBlocks } from '../../src/state-sync/fetch-blocks.ts';
import type { Sources } from '../../src/state-sync/sources.ts';
import { packReceipts } from '../../src/state-sync/wire.ts';
import { GENESIS_HASH, olderFolder, snapshotChain, sourcesOf, takeOverInto } from './snapshot-chain.ts';

const TIP = 20;
/** In the last minute: its records stay known. */
const AT = TIP - 1;
const NOTHING: SyncResponse = { requestId: 1, blocks: [], certificates: [], chunks: [], more: false };
const [HONEST, LIAR] = ['honest', 'liar'] as [PeerKey, PeerKey];

function recordOf(outcome: number) {
  const { header } = batchOf([row(0, 1, 5)]).batch;
  const outcomes = Uint8Array.of(outcome);
  const leaf = { header, rowFee: 0n, stragglerFee: 0n, firstIndex: 0, outcomesRoot: outcomesRootOf(outcomes) };
  return { batchId: batchIdOf(GENESIS_HASH, header), leaf, outcomes };
}

/** Its block of height AT has a batch. */
async function chainWithBatch() {
  const record = recordOf(0);
  const directory = { directoryRoot: merkleRoot([]), directorySize: 0 };
  const rootsOf = (leaves: readonly BatchLeaf[]) => ({
    batchesRoot: batchesRootOf(leaves),
    batches: leaves.length,
    ...directory,
  });
  const chain = await snapshotChain(TIP, 'honest', undefined, (at) => rootsOf(at === AT ? [record.leaf] : []));
  return { chain, record };
}

function receiptsWith(batches: readonly Uint8Array[], blocks: readonly Block[]): SyncResponse {
  return { ...NOTHING, blocks, chunks: [packReceipts(blocks.map(({ height }) => (height === AT ? batches : [])))] };
}

async function fetched(lie: readonly Uint8Array[]) {
  const { chain, record } = await chainWithBatch();
  const blocked: PeerKey[] = [];
  const sources: Sources = {
    available: () => [LIAR, HONEST].filter((peer) => !blocked.includes(peer)),
    async ask(peer, { from = 0, to = 0 }) {
      return receiptsWith(peer === LIAR ? lie : [encodeBatchRecord(record)], chain.blocks.slice(from, to + 1));
    },
    failed: () => {},
    succeeded: () => {},
    block: (peer) => blocked.push(peer),
    stop: async () => {},
  };
  const clock = { monotonicMs: () => 0, after: () => () => {} };
  const blocks = await fetchRecentBlocks({ sources, clock, genesisHash: GENESIS_HASH }, chain.manifest, TIP);
  return { blocked, batches: blocks.flatMap(({ batches }) => batches), record: encodeBatchRecord(record) };
}

test('a peer that serves them is not blocked', async () => {
  const { blocked, batches, record } = await fetched([encodeBatchRecord(recordOf(0))]);
  expect(batches).toEqual([record]);
  expect(blocked).toEqual([]);
});

test('a peer that leaves one out, adds one or changes an outcome or an id is blocked', async () => {
  const sound = encodeBatchRecord(recordOf(0));
  const otherId = sound.slice();
  otherId[31] = (otherId[31] as number) ^ 1;
  for (const lie of [[], [sound, sound], [encodeBatchRecord(recordOf(1))], [otherId]]) {
    const { blocked, batches, record } = await fetched(lie);
    expect(blocked).toEqual([LIAR]);
    expect(batches).toEqual([record]);
  }
});

test('the ledger of the joined node has them', async () => {
  const { chain, record } = await chainWithBatch();
  const { sources } = sourcesOf(chain);
  const ask: Sources['ask'] = async (peer, request) => {
    const { query, from = 0, to = 0 } = request;
    if (query !== 'receipts') return sources.ask(peer, request);
    return receiptsWith([encodeBatchRecord(record)], chain.blocks.slice(from, to + 1));
  };
  const { folder, remove } = await olderFolder();
  expect(await takeOverInto(folder, { ...sources, ask }, chain.manifest)).toBe('done');
  const keyValue = await syncFolder(folder).openLedgerStore(DATA.ledger);
  const ledger = await openLedger({ keyValue, telemetry: silentTelemetry }, { genesisHash: GENESIS_HASH });
  const recent = await ledger.recentBlocks(0);
  expect(recent.filter(({ executedIds }) => executedIds.length > 0)).toMatchObject([
    { block: { height: AT }, executedIds: [record.batchId] },
  ]);
  await ledger.close();
  await remove();
});
