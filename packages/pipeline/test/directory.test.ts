/** The account directory in a node: rivals, restarts, and what certificates prove of it. */
import { directoryPath, readDirectory } from '@slipstream/execution';
import {
  checkProofStructure,
  createCommittee,
  type DigestPreimage,
  directoryLeaf,
  type PreparedTransaction,
  type TransactionId,
  verifyMerklePath,
} from '@slipstream/types';
import { expect, test } from 'vitest';
import {
  finalize,
  GENESIS,
  GENESIS_HASH,
  genesis,
  type Node,
  quiet,
  settle,
  stateCertificate,
  transaction,
  until,
  untilCommitted,
  World,
} from './world.ts';

const OPTIONS = { distilled: { accountsMax: 100, rowsPerBlock: 1, registrationsPerBlock: 64 } };
const COMMITTEE = createCommittee(genesis.members);

const registering = (from: number, count: number, fill: number): PreparedTransaction =>
  transaction({
    from,
    actions: Array.from({ length: count }, (_, i) => ({
      kind: 'register',
      blsKey: new Uint8Array(96).fill(fill + i),
      proof: new Uint8Array(96),
    })),
  });

const directoryOf = ({ state }: Node) => readDirectory(state.get);

/** Of each entry of the committed state, against the digest of this height. */
async function provesAll(node: Node, height: number): Promise<boolean> {
  const [preimage] = await node.ledger.preimages(height, height);
  const { directoryRoot, directorySize } = (preimage as DigestPreimage).distilled ?? {};
  if (directoryRoot === undefined || directorySize === undefined) return false;
  return Array.from({ length: directorySize }, (_, index) => {
    const entry = directoryOf(node)?.entry(index);
    const path = directoryPath(index, directorySize, ({ bytes }) => node.state.get(bytes));
    return entry && verifyMerklePath(directoryLeaf(index, entry), index, directorySize, path, directoryRoot);
  }).every(Boolean);
}

test('registrations of a block that loses leave no trace, and its indices go to the winner', async () => {
  const world = new World();
  const node = await world.open(OPTIONS);
  const loser = world.blockOn(GENESIS, { transactions: [registering(1, 5, 10)] });
  const above = world.blockOn(loser, { transactions: [registering(1, 3, 30)] });
  const winner = world.blockOn(GENESIS, { view: 3, transactions: [registering(2, 2, 50)] });
  for (const { blockId, block } of [loser, above]) await node.pipeline.execute(blockId, block);
  await until(() => node.state.pending().length === 2);
  const digest = await node.pipeline.execute(winner.blockId, winner.block);
  finalize(node, winner);
  node.pipeline.certified(stateCertificate(winner, digest));
  await untilCommitted(node, 1);
  expect(directoryOf(node)?.size).toBe(2);
  expect(directoryOf(node)?.entry(0)?.blsKey[0]).toBe(50);

  const other = new World();
  for (const [id, chunk] of world.chunks) other.chunks.set(id, chunk);
  const fresh = await other.open(OPTIONS);
  expect(await fresh.pipeline.execute(winner.blockId, winner.block)).toEqual(digest);
});

test('a node that opens again goes on with the same tree, and proves entries of all heights', async () => {
  const world = new World();
  let parent = GENESIS;
  for (let at = 0; at < 6; at++) {
    const node = await world.open(OPTIONS);
    const block = world.blockOn(parent, { transactions: [registering(1 + (at % 3), 5, 5 * at), transaction()] });
    await settle(node, block);
    await untilCommitted(node, at + 1);
    expect(directoryOf(node)?.size).toBe(5 * (at + 1));
    for (let height = 0; height <= at + 1; height++) expect(await provesAll(node, height)).toBe(true);
    await quiet();
    parent = block;
  }
});

test('what final blocks register is reported in order as soon as they are executed, before a certificate, and once', async () => {
  const world = new World();
  const grown: (readonly [number, number])[] = [];
  const open = async () => {
    const node = await world.open(OPTIONS);
    node.pipeline.onDirectoryGrown(({ height, registered }) => grown.push([height, registered.length]));
    return node;
  };
  const node = await open();
  const first = world.blockOn(GENESIS, { transactions: [registering(1, 2, 10)] });
  const second = world.blockOn(first, { transactions: [registering(2, 3, 30)] });
  const third = world.blockOn(second);
  finalize(node, first);
  await until(() => grown.length === 1);
  await node.pipeline.execute(second.blockId, second.block);
  await quiet();
  expect(grown).toEqual([[1, 2]]);
  finalize(node, second);
  expect(grown).toEqual([
    [1, 2],
    [2, 3],
  ]);
  expect(node.pipeline.status().committedHeight).toBe(0);
  await settle(node, third);
  await untilCommitted(node, 3);
  expect(grown.map(([height]) => height)).toEqual([1, 2, 3]);
  await node.pipeline.stop();

  grown.length = 0;
  const again = await open();
  await settle(again, world.blockOn(third, { transactions: [registering(3, 1, 50)] }));
  expect(grown).toEqual([[4, 1]]);
});

test('a receipt is proven beside the roots of directory and batches, and not without them', async () => {
  const world = new World();
  const node = await world.open(OPTIONS);
  const block = world.blockOn(GENESIS, { transactions: [registering(1, 2, 7), transaction()] });
  await settle(node, block);
  await untilCommitted(node, 1);
  const proof = await node.ledger.inclusionProof(node.committed[0]?.receipts[0]?.transactionId as TransactionId);
  if (proof === undefined) throw new Error('no proof');
  expect(checkProofStructure(proof, GENESIS_HASH, COMMITTEE)).toMatchObject({ ok: true });
  const [own] = proof.preimages as [DigestPreimage];
  const { distilled, ...bare } = own;
  if (distilled === undefined) throw new Error('no roots');
  for (const changed of [
    bare,
    { ...bare, distilled: { ...distilled, directorySize: 1 } },
    { ...bare, distilled: { ...distilled, batches: 1 } },
    { ...bare, distilled: { ...distilled, directoryRoot: distilled.batchesRoot } },
    { ...bare, distilled: { ...distilled, batchesRoot: distilled.directoryRoot } },
  ]) {
    expect(checkProofStructure({ ...proof, preimages: [changed] }, GENESIS_HASH, COMMITTEE)).toEqual({
      ok: false,
      error: 'digest',
    });
  }
});
