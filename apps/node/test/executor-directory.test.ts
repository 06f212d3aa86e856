/** The account directory across the executor's thread: it grows with final blocks as they are executed, and a restart finds the same. */
import { afterEach, expect, test } from 'vitest';
import * as arrange from '../../../packages/execution/test/builders.ts';
import { DISTILLED, registering } from '../../../packages/execution/test/distilled-builders.ts';
import type { Executor } from '../src/executor/executor.ts';
import {
  certificateOf,
  childOf,
  chunkId,
  createFolders,
  finalizationOf,
  type Opened,
  openOn,
  ROOT,
  settleAll,
  supplied,
} from './executor-world.ts';

const genesis = { ...arrange.genesis({ 1: 5n, 2: 5n }), timestampMs: arrange.NOW_MS, distilled: DISTILLED };
const CHUNKS = [1, 2].map((number) => ({ id: chunkId(number), bytes: supplied([registering(number, number, 0n)]) }));
const [FIRST, SECOND] = CHUNKS.map(({ id }) => id) as [ReturnType<typeof chunkId>, ReturnType<typeof chunkId>];

const { newFolder, later, clear } = createFolders();
afterEach(clear);

/** `grown`: the newest height of each report. */
async function open(folder: string): Promise<Opened & { readonly grown: (number | undefined)[] }> {
  const grown: (number | undefined)[] = [];
  const follow = (executor: Executor) => executor.onDirectoryGrown(() => grown.push(executor.directory?.newest()));
  const chunkOf = (id: Uint8Array) => {
    const found = CHUNKS.find((chunk) => Buffer.compare(chunk.id, id) === 0);
    return (found as (typeof CHUNKS)[number]).bytes;
  };
  const executor = await openOn(folder, genesis, chunkOf, follow);
  later(executor.stop);
  return { ...executor, grown };
}

const sizesOf = ({ directory }: Executor, upTo: number) =>
  Array.from({ length: upTo + 1 }, (_, height) => directory?.viewAt(height)?.size);

test('it has a final block once that is executed, before the commit, and not the executed block above', async () => {
  const folder = await newFolder();
  const executor = await open(folder);
  expect(sizesOf(executor, 1)).toEqual([0, undefined]);
  const first = childOf(ROOT, [FIRST]);
  const second = childOf(first, [SECOND]);
  await executor.execute(first.blockId, first.block);
  const digest = await executor.execute(second.blockId, second.block);
  expect(executor.directory?.size()).toBe(0);
  executor.finalized(first.blockId, first.block, finalizationOf(first));
  await expect.poll(() => executor.grown).toEqual([1]);
  expect(sizesOf(executor, 2)).toEqual([0, 1, undefined]);
  expect(executor.status().committedHeight).toBe(0);
  executor.finalized(second.blockId, second.block, finalizationOf(second));
  await expect.poll(() => executor.grown).toEqual([1, 2]);
  expect(sizesOf(executor, 2)).toEqual([0, 1, 3]);
  executor.certified(certificateOf(second, digest));
  await expect.poll(() => executor.status().committedHeight).toBe(2);
  expect(executor.grown).toEqual([1, 2]);
});

test('after a restart it has the committed heights, and a final block that was not committed once it is executed again', async () => {
  const folder = await newFolder();
  const before = await open(folder);
  const first = childOf(ROOT, [FIRST]);
  const second = childOf(first, [SECOND]);
  await settleAll(before, [first]);
  await before.execute(second.blockId, second.block);
  before.finalized(second.blockId, second.block, finalizationOf(second));
  await expect.poll(() => before.grown).toEqual([1, 2]);
  await before.stop();
  const again = await open(folder);
  expect(sizesOf(again, 2)).toEqual([0, 1, undefined]);
  await settleAll(again, [second, childOf(second)]);
  expect(again.grown).toEqual([2, 3]);
  expect(sizesOf(again, 3)).toEqual([0, 1, 3, 3]);
  expect(again.directory?.viewAt(2)?.accountKey(2)).toEqual(arrange.account(2).bytes);
});
