/** The directory by which batches are judged: from a node's real state, then from its commits. */
import { expect, test } from 'vitest';
import { GENESIS, settle, transaction, untilCommitted, World } from '../../../packages/pipeline/test/world.ts';
import { openAccountDirectory } from '../src/assembly/account-directory.ts';
import { type CommittedSummary, decodeCommitted, encodeCommitted } from '../src/executor/committed-summary.ts';

const OPTIONS = { distilled: { accountsMax: 100, rowsPerBlock: 1, registrationsPerBlock: 64 } };

test('it is loaded from the state, and grows by what commits report, as one that saw all of it', async () => {
  const world = new World();
  const node = await world.open(OPTIONS);
  const handlers: ((committed: CommittedSummary) => void)[] = [];
  let height = 0;
  let grown = 0;
  const executor = {
    read: async (keys: readonly Uint8Array[]) => ({ height, values: keys.map((key) => node.state.get(key)) }),
    onCommitted: (handler: (committed: CommittedSummary) => void) => void handlers.push(handler),
  };
  const first = openAccountDirectory(executor, () => grown++);
  await first.load();
  expect([first.columns.size(), first.columns.newest()]).toEqual([0, 0]);

  let parent = GENESIS;
  for (const [at, count] of [3, 0, 2].entries()) {
    const actions = Array.from({ length: count }, (_, i) => ({
      ...{ kind: 'register' as const, blsKey: new Uint8Array(96).fill(10 * at + i), proof: new Uint8Array(96) },
    }));
    const transactions = count === 0 ? [] : [transaction({ from: 1 + at, actions })];
    const block = world.blockOn(parent, { transactions });
    await settle(node, block);
    await untilCommitted(node, at + 1);
    parent = block;
  }
  height = 3;
  for (const committed of node.committed) {
    const summary = decodeCommitted(encodeCommitted(committed, undefined));
    for (const handler of handlers) handler(summary);
  }
  expect(grown).toBe(3);
  const late = openAccountDirectory(executor, () => {});
  await late.load();
  for (const { columns } of [first, late]) {
    expect([1, 2, 3].map((at) => columns.viewAt(at)?.size)).toEqual([3, 3, 5]);
    const view = columns.viewAt(3);
    expect([0, 96, 288].map((at) => view?.keys[at])).toEqual([0, 1, 20]);
    expect(view?.accountKey(4)).toEqual(first.columns.viewAt(3)?.accountKey(3));
  }
});
