/** Rows of distilled batches by id, from a node's real ledger, state and chunks: each with its outcome and proof, and no other. */
import type { BlockBatch } from '@slipstream/distilled';
import { certifiedRowProofCodec, checkCertifiedRowProof, encodeBatch, rowIdOf } from '@slipstream/distilled';
import { ok } from '@slipstream/primitives';
import { asId, chunkBodyCodec, createCommittee, hexOf, signedChunkCodec, type TransactionId } from '@slipstream/types';
import { expect, test } from 'vitest';
import { batchOf, DISTILLED, registering, row } from '../../../packages/execution/test/distilled-builders.ts';
import {
  account,
  GENESIS,
  GENESIS_HASH,
  genesis,
  type Node,
  settle,
  untilCommitted,
  World,
} from '../../../packages/pipeline/test/world.ts';
import { chunkHeader } from '../../../packages/types/test/chunk-header.ts';
import { createBatchReads } from '../src/backend/batch-reads.ts';
import { createCommittedBatches } from '../src/backend/committed-batches.ts';
import { createBlockFinder } from '../src/backend/find-block.ts';
import { createRowReads } from '../src/backend/row-reads.ts';

const COMMITTEE = createCommittee(genesis.members);
/** Of a copy that names the same batch. */
type Copies = ReadonlyMap<BlockBatch, readonly BlockBatch[]>;

function readsOf(world: World, { ledger, state }: Node, copies: Copies = new Map()) {
  let reads = 0;
  const chunks = {
    async get(id: Uint8Array) {
      reads += 1;
      const batches = world.chunks.get(hexOf(id as never))?.batches;
      if (batches === undefined) return undefined;
      const all = [...batches].flatMap((each) => [...(copies.get(each) ?? []), each]);
      const body = chunkBodyCodec.encode({ transactions: [], batches: all.map(({ batch }) => encodeBatch(batch)) });
      const header = { ...chunkHeader(body, { transactionCount: 0 }), batchCount: all.length };
      return signedChunkCodec.encode({ header, body, signature: new Uint8Array(192) });
    },
  };
  const read = async (keys: readonly Uint8Array[]) => ({ height: 2, values: keys.map((key) => state.get(key)) });
  const rowsOf = createCommittedBatches(chunks, GENESIS_HASH);
  const rows = createRowReads({ ledger, read, rowsOf });
  const batches = createBatchReads({ ledger, rowsOf, findBlock: createBlockFinder(ledger).find });
  const entry = async (batchId: Uint8Array, position: number) => {
    const id = asId<TransactionId>(rowIdOf(batchId, position));
    const found = await ledger.entry(id);
    if (found?.type !== 'row') throw new Error('the batch is not in the ledger');
    return [id, found.batch] as const;
  };
  return {
    batches,
    reads: () => reads,
    row: async (batchId: Uint8Array, position: number) => rows.row(...(await entry(batchId, position))),
    proof: async (batchId: Uint8Array, position: number) => rows.proof(...(await entry(batchId, position))),
  };
}

const first = batchOf([row(0, 1, 5), row(0, 2, 2_000_000, 2), row(1, 0, 7)]);
const second = batchOf([row(0, 1, 5), row(2, 0, 1)]);

async function ran() {
  const world = new World();
  const node = await world.open({ distilled: DISTILLED });
  const registered = world.blockOn(GENESIS, { transactions: [1, 2, 3].map((number) => registering(number, 1, 0n)) });
  await settle(node, registered);
  await untilCommitted(node, 1);
  await settle(node, world.blockOn(registered, { transactions: [], batches: [first, second] }));
  await untilCommitted(node, 2);
  return { world, node };
}

test('each row has its accounts, outcome and place, and a proof that holds for its id alone', async () => {
  const { world, node } = await ran();
  const { row: ask, proof } = readsOf(world, node);
  const expected = [
    [first, 0, 'final', { status: 'success' }, 0, 1],
    [first, 1, 'failed', { status: 'failed', code: 'insufficient-balance' }, 0, 2],
    [first, 2, 'final', { status: 'success' }, 1, 0],
    [second, 0, 'skipped', { status: 'skipped', reason: 'sequence-used' }, 0, 1],
    [second, 1, 'final', { status: 'success' }, 2, 0],
  ] as const;
  for (const [at, [{ batchId }, position, status, outcome, sender, recipient]] of expected.entries()) {
    const value = { status, height: 2, row: { outcome, position, index: at, straggler: false } };
    const accounts = { sender: account(sender + 1), recipient: account(recipient + 1) };
    expect(await ask(batchId, position)).toMatchObject({ type: 'found', value: { ...value, row: accounts } });
    expect(await ask(batchId, position)).toMatchObject({ type: 'found', value });
    const found = await proof(batchId, position);
    if (found.type !== 'row') throw new Error(found.type);
    const certified = found.value.proof;
    expect(certifiedRowProofCodec.decode(certifiedRowProofCodec.encode(certified))).toEqual(ok(certified));
    const check = (rowId: Uint8Array) =>
      checkCertifiedRowProof(certified, { genesisHash: GENESIS_HASH, rowId }, COMMITTEE);
    expect(check(rowIdOf(batchId, position))).toMatchObject({ ok: true, value: { proven: { outcome } } });
    const other = batchId === first.batchId ? second : first;
    expect(check(rowIdOf(other.batchId, position))).toMatchObject({ ok: false, error: 'id' });
  }
});

test('a position beyond the batch is unknown, and so is an id that ends otherwise than a batch', async () => {
  const { world, node } = await ran();
  const { row: ask, proof, batches } = readsOf(world, node);
  for (const position of [3, 4, 2 ** 32 - 1]) {
    expect(await ask(first.batchId, position)).toEqual({ type: 'unknown' });
    expect(await proof(first.batchId, position)).toEqual({ type: 'unknown' });
  }
  expect(await batches.batch(rowIdOf(first.batchId, 0))).toEqual({ type: 'unknown' });
  expect(await batches.batchRows(new Uint8Array(32), { cursor: undefined, limit: 5 })).toEqual({ type: 'unknown' });
});

test('batches of a block and rows of a batch are listed in pages', async () => {
  const { world, node } = await ran();
  const { batches, reads } = readsOf(world, node);
  const block = { type: 'latest' } as const;
  const page = await batches.blockBatches(block, { cursor: undefined, limit: 1 });
  expect(page).toMatchObject({
    value: { items: [{ batchId: first.batchId, index: 0, charged: 3, failed: 1, skipped: 0 }], next: '1' },
  });
  const rest = await batches.blockBatches(block, { cursor: '1', limit: 1 });
  expect(rest).toMatchObject({ value: { items: [{ batchId: second.batchId, charged: 1, skipped: 1 }] } });
  expect(rest).toMatchObject({ value: { next: undefined } });
  expect(await batches.batch(second.batchId)).toMatchObject({
    value: { height: 2, index: 1, leaf: { firstIndex: 3 } },
  });
  const rows = await batches.batchRows(first.batchId, { cursor: '1', limit: 1 });
  expect(rows).toMatchObject({ value: { items: [{ position: 1, row: { amount: 2_000_000n } }], next: '2' } });
  expect(await batches.batchRows(first.batchId, { cursor: '9', limit: 1 })).toEqual({
    type: 'found',
    value: { items: [], next: undefined },
  });
  const before = reads();
  await batches.batchRows(first.batchId, { cursor: '0', limit: 3 });
  expect(reads()).toBe(before);
});

test('trees of a batch and leaves of its block are made once for all its proofs', async () => {
  const { world, node } = await ran();
  const { proof } = readsOf(world, node);
  const certified = await Promise.all(
    [0, 1].map(async (position) => {
      const found = await proof(first.batchId, position);
      if (found.type !== 'row') throw new Error(found.type);
      return found.value.proof.proof;
    }),
  );
  // The same memory: nothing was serialized, decoded or hashed again.
  expect(certified[1]?.rows).toBe(certified[0]?.rows);
  expect(certified[1]?.batch.leaf).toBe(certified[0]?.batch.leaf);
});

test('rows are not served without their chunk, and are once it is there', async () => {
  const { world, node } = await ran();
  const { row: ask, proof } = readsOf(world, node);
  const chunks = new Map(world.chunks);
  world.chunks.clear();
  expect(await ask(first.batchId, 0)).toMatchObject({ type: 'pruned' });
  expect(await proof(first.batchId, 0)).toMatchObject({ type: 'pruned' });
  for (const [id, chunk] of chunks) world.chunks.set(id, chunk);
  expect(await ask(first.batchId, 0)).toMatchObject({ type: 'found' });
});

test('a false copy under the same header is not taken: its rows by the root, its stragglers by leaving the fee out', async () => {
  const { world, node } = await ran();
  const otherRows = {
    ...first,
    batch: { ...first.batch, rows: batchOf([row(0, 1, 6), row(0, 2, 2, 2), row(1, 0, 7)]).batch.rows },
  };
  const stragglers = [{ position: 0, expiryMs: 1, feeCap: 1n, signature: new Uint8Array(64) }];
  const otherStragglers = { ...first, batch: { ...first.batch, stragglers } };
  const { row: ask } = readsOf(world, node, new Map([[first, [otherRows, otherStragglers]]]));
  const found = await ask(first.batchId, 0);
  expect(found).toMatchObject({ value: { row: { row: { amount: 5n }, straggler: undefined, fee: undefined } } });
  expect(await ask(first.batchId, 2)).toMatchObject({ value: { row: { straggler: false } } });
});
