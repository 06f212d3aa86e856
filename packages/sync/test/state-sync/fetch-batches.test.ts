/** Records of distilled batches come with the receipts of the last minute, so a batch that ran before the snapshot runs no second time. */
import { batchesRootOf, batchIdOf, encodeBatchRecord, outcomesRootOf } from '@slipstream/distilled';
import type { PeerKey } from '@slipstream/ports';
import { merkleRoot, type SyncResponse } from '@slipstream/types';
import { expect, test } from 'vitest';
import { batchOf, row } from '../../../execution/test/distilled-builders.ts';
import { fetchRecentBlocks } from '../../src/state-sync/fetch-blocks.ts';
import type { Sources } from '../../src/state-sync/sources.ts';
import { packReceipts } from '../../src/state-sync/wire.ts';
import { GENESIS_HASH, snapshotChain } from './snapshot-chain.ts';

const TIP = 20;
const AT = 15;
const NOTHING: SyncResponse = { requestId: 1, blocks: [], certificates: [], chunks: [], more: false };
const [HONEST, LIAR] = ['honest', 'liar'] as [PeerKey, PeerKey];

function recordOf(outcome: number) {
  const { header } = batchOf([row(0, 1, 5)]).batch;
  const outcomes = Uint8Array.of(outcome);
  const leaf = { header, rowFee: 0n, stragglerFee: 0n, firstIndex: 0, outcomesRoot: outcomesRootOf(outcomes) };
  return { batchId: batchIdOf(GENESIS_HASH, header), leaf, outcomes };
}

async function fetched(lie: readonly Uint8Array[]) {
  const chain = await snapshotChain(TIP);
  const record = recordOf(0);
  const directory = { directoryRoot: merkleRoot([]), directorySize: 0 };
  const none = { batchesRoot: merkleRoot([]), batches: 0, ...directory };
  const some = { batchesRoot: batchesRootOf([record.leaf]), batches: 1, ...directory };
  const preimages = chain.manifest.preimages.map((each) => ({
    ...each,
    distilled: each.height === AT ? some : none,
  }));
  const blocked: PeerKey[] = [];
  const sources: Sources = {
    available: () => [LIAR, HONEST].filter((peer) => !blocked.includes(peer)),
    async ask(peer, { from = 0, to = 0 }) {
      const blocks = chain.blocks.slice(from, to + 1);
      const own = peer === LIAR ? lie : [encodeBatchRecord(record)];
      return { ...NOTHING, blocks, chunks: [packReceipts(blocks.map(({ height }) => (height === AT ? own : [])))] };
    },
    failed: () => {},
    succeeded: () => {},
    block: (peer) => blocked.push(peer),
    stop: async () => {},
  };
  const clock = { monotonicMs: () => 0, after: () => () => {} };
  const manifest = { ...chain.manifest, preimages };
  const blocks = await fetchRecentBlocks({ sources, clock, genesisHash: GENESIS_HASH }, manifest, TIP);
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
