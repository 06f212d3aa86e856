/** Distilled batches in a node: each runs once in a chain, over rivals, restarts and replays, and its rows are proven by the digest. */
import {
  type BlockBatch,
  batchIdOf,
  checkRowProof,
  decodeBatchRecord,
  makeRowProof,
  rowIdOf,
} from '@slipstream/distilled';
import { accountStateKey, decodeAccount } from '@slipstream/execution';
import type { DigestPreimage } from '@slipstream/types';
import { expect, test } from 'vitest';
import { batchOf, DISTILLED, registering, row } from '../../execution/test/distilled-builders.ts';
import {
  account,
  type BlockForm,
  filesOf,
  finalize,
  GENESIS,
  GENESIS_HASH,
  type Node,
  type Proposed,
  putFiles,
  quiet,
  settle,
  stateCertificate,
  transaction,
  transfer,
  until,
  untilCommitted,
  World,
} from './world.ts';

const OPTIONS = { distilled: DISTILLED };

const accountOf = ({ state }: Node, number: number) => decodeAccount(state.get(accountStateKey(account(number)).bytes));
const balancesOf = (node: Node) => [1, 2, 3].map((number) => Number(accountOf(node, number).balance));

/** Accounts 1, 2 and 3 have the indices 0, 1 and 2. */
async function started(world: World): Promise<{ readonly node: Node; readonly first: Proposed }> {
  const node = await world.open(OPTIONS);
  const first = world.blockOn(GENESIS, { transactions: [1, 2, 3].map((number) => registering(number, 1, 0n)) });
  await settle(node, first);
  await untilCommitted(node, 1);
  return { node, first };
}

const withBatches = (...batches: readonly BlockBatch[]): BlockForm => ({ transactions: [], batches });

test('a batch of a block that loses leaves no trace, and runs in the winner', async () => {
  const world = new World();
  const { node, first } = await started(world);
  const [shared, lost] = [batchOf([row(0, 1, 100)]), batchOf([row(0, 2, 1_000, 2)])];
  const loser = world.blockOn(first, withBatches(shared, lost));
  const above = world.blockOn(loser, withBatches(batchOf([row(1, 2, 7)])));
  const winner = world.blockOn(first, { ...withBatches(shared), view: 9 });
  for (const { blockId, block } of [loser, above]) await node.pipeline.execute(blockId, block);
  await until(() => node.state.pending().length === 2);
  const digest = await node.pipeline.execute(winner.blockId, winner.block);
  finalize(node, winner);
  node.pipeline.certified(stateCertificate(winner, digest));
  await untilCommitted(node, 2);
  expect(balancesOf(node)).toEqual([999_900, 600, 500]);
  expect(accountOf(node, 1).registration).toEqual({ index: 0, last: 1, mask: 1n });
  expect(await node.ledger.batchOfRow(rowIdOf(lost.batchId, 0))).toBeUndefined();
  expect((await node.ledger.batchOfRow(rowIdOf(shared.batchId, 0)))?.height).toBe(2);

  const other = new World();
  for (const [id, chunk] of world.chunks) other.chunks.set(id, chunk);
  const fresh = await other.open(OPTIONS);
  await settle(fresh, first);
  expect(await fresh.pipeline.execute(winner.blockId, winner.block)).toEqual(digest);
});

test('a batch runs once in a chain: not again above an ancestor that ran it, committed or not, before a restart or after', async () => {
  const world = new World();
  const { node, first } = await started(world);
  const batch = batchOf([row(0, 1, 100)]);
  const second = world.blockOn(first, withBatches(batch));
  const third = world.blockOn(second, withBatches(batch, batchOf([row(1, 2, 1)])));
  for (const { blockId, block } of [second, third]) await node.pipeline.execute(blockId, block);
  for (const block of [second, third]) await settle(node, block);
  await untilCommitted(node, 3);
  expect(node.committed[2]?.skipped).toEqual([{ id: batch.batchId, reason: 'duplicate' }]);
  expect(balancesOf(node)).toEqual([999_900, 599, 501]);
  await quiet();

  const again = await world.open(OPTIONS);
  const fourth = world.blockOn(third, withBatches(batch));
  await settle(again, fourth);
  await untilCommitted(again, 4);
  expect(again.committed[0]?.skipped).toEqual([{ id: batch.batchId, reason: 'duplicate' }]);
  expect(balancesOf(again)).toEqual([999_900, 599, 501]);
});

test('a row runs once, though its sender signed it for two brokers, whose batches are in two blocks', async () => {
  const world = new World();
  const { node, first } = await started(world);
  const [one, other] = [batchOf([row(0, 1, 100)]), batchOf([row(0, 1, 100), row(2, 1, 5)])];
  const second = world.blockOn(first, withBatches(one));
  for (const block of [second, world.blockOn(second, withBatches(other))]) await settle(node, block);
  await untilCommitted(node, 3);
  expect(balancesOf(node)).toEqual([999_900, 605, 495]);
});

test('a store that is behind its ledger gives the same bytes again, batches included', async () => {
  const world = new World();
  const { node, first } = await started(world);
  await quiet();
  const older = filesOf(world);
  let parent = first;
  for (let at = 1; at <= 4; at++) {
    const batches = [batchOf([row(0, 1, 100, at), row(1, 2, 50, at)]), batchOf([row(2, 0, 3, at)])];
    parent = world.blockOn(parent, { transactions: [transaction({ actions: [transfer(3, 2n)] })], batches });
    await settle(node, parent);
    await untilCommitted(node, at + 1);
  }
  await quiet();
  const newer = filesOf(world);
  await putFiles(world, older);
  const again = await world.open(OPTIONS);
  await untilCommitted(again, 5);
  await quiet();
  expect(balancesOf(again)).toEqual(balancesOf(node));
  expect(new Map(filesOf(world)).get('state/0')).toEqual(new Map(newer).get('state/0'));
  expect(again.state.tip.checksum).toEqual(node.state.tip.checksum);
});

test('each row is proven by the digest of its block, from what the ledger has and the rows', async () => {
  const world = new World();
  const { node, first } = await started(world);
  const batches = [
    batchOf(Array.from({ length: 70 }, (_, i) => row(0, 1, i === 65 ? 2_000_000 : 1, i + 1))),
    batchOf([row(1, 2, 5), row(2, 0, 7)]),
  ];
  await settle(node, world.blockOn(first, withBatches(...batches)));
  await untilCommitted(node, 2);
  const [preimage] = (await node.ledger.preimages(2, 2)) as [DigestPreimage];
  const { batchesRoot, batches: count } = preimage.distilled as NonNullable<DigestPreimage['distilled']>;
  expect(count).toBe(2);
  for (const [index, { batch, batchId }] of batches.entries()) {
    for (const position of [0, batch.rows.count - 5, batch.rows.count - 1].filter((at) => at >= 0)) {
      const rowId = rowIdOf(batchId, position);
      const found = await node.ledger.batchOfRow(rowId);
      expect(found).toMatchObject({ height: 2, index });
      const records = (found?.records ?? []).map(decodeBatchRecord).flatMap((each) => (each.ok ? each.value : []));
      const { leaf, outcomes } = records[index] as (typeof records)[number];
      expect(batchIdOf(GENESIS_HASH, leaf.header)).toEqual(batchId);
      const leaves = records.map((each) => each.leaf);
      const proof = makeRowProof({ rows: batch.rows, outcomes, leaves, batch: index }, position);
      const checked = checkRowProof(proof, { genesisHash: GENESIS_HASH, rowId, batchesRoot, batches: count });
      expect(checked).toMatchObject({
        ok: true,
        value: { outcome: { status: index === 0 && position === 65 ? 'failed' : 'success' } },
      });
    }
  }
});
