/** Applications on the executor's thread: its stack, its realms, and their state after a restart. */
import { bytesEqual, to0x } from '@slipstream/primitives';
import { type ChunkId, type Genesis, stateKeyOfEntry } from '@slipstream/types';
import { afterEach, expect, it } from 'vitest';
import { builtApplication, type TestApplication } from '../../../packages/execution/test/application-builders.ts';
import { genesis, NOW_MS, transaction } from '../../../packages/execution/test/builders.ts';
import type { SuppliedChunk } from '../src/executor/wire.ts';
import {
  childOf,
  chunkId,
  createFolders,
  type Made,
  type Opened,
  openOn,
  ROOT,
  settleAll,
  supplied,
} from './executor-world.ts';

const folders = createFolders();
afterEach(folders.clear);

const source = new URL('../../../packages/execution/test/applications/troubles.ts', import.meta.url);
const FIRST = 5;

function chainOf(application: TestApplication): Genesis {
  return { ...genesis({ 1: 1_000n }), timestampMs: NOW_MS, applications: [application.inGenesis({ first: FIRST })] };
}

async function entryOf(executor: Opened, application: TestApplication, number: number): Promise<unknown> {
  const [value] = (await executor.read([stateKeyOfEntry(0, 0, application.json.keyFromJson(0, number))])).values;
  return value && application.json.valueToJson(0, value).value;
}

it('recursion that ends within its ticks has the stack that it needs, and endless ones fail as want of ticks', async () => {
  const application = await builtApplication(source);
  const calls = [
    application.call('recurse', { n: 60_000 }),
    application.call('recurse', { n: 4_000_000_000 }),
    application.call('loop', {}),
    application.call('crash', {}),
    application.call('write', { from: 20, count: 2 }),
  ];
  const chunk = supplied(calls.map((action) => transaction({ actions: [action] })));
  const folder = await folders.newFolder();
  const start = chainOf(application);
  const setting = { applications: [application.artifact] };
  const executor = await openOn(folder, start, () => chunk, undefined, setting);
  expect(await entryOf(executor, application, FIRST - 1)).toBe(FIRST);
  await settleAll(executor, [childOf(ROOT, [chunkId(1)])]);
  expect(await entryOf(executor, application, 1)).toBe(60_000);
  expect(await entryOf(executor, application, 21)).toBe(7);
  await executor.stop();
  const again = await openOn(folder, start, () => chunk, undefined, setting);
  expect(await entryOf(again, application, 1)).toBe(60_000);
  await again.stop();
});

it('A19: a call that ticks do not end stops the node with its name, and the thread with its block', async () => {
  const heavy = await builtApplication(
    new URL('../../../packages/execution/test/applications/heavy.ts', import.meta.url),
  );
  const endless = transaction({ actions: [heavy.call('hang', { times: 10_000 })] });
  const failed = Promise.withResolvers<unknown>();
  const start = { ...genesis({ 1: 1_000n }), timestampMs: NOW_MS, applications: [heavy.inGenesis({})] };
  const folder = await folders.newFolder();
  const setting = { applications: [heavy.artifact] };
  const executor = await openOn(folder, start, () => supplied([endless]), undefined, setting, failed.resolve);
  const { blockId, block } = childOf(ROOT, [chunkId(1)]);
  executor.execute(blockId, block).catch(() => {});
  const reason = String(await failed.promise);
  expect(reason).toContain(`transaction ${to0x(endless.id)} calls heavy.hang, which has run for more than 10 s`);
  await executor.stop();
}, 60_000);

it('A18: a chain has the same digests with threads for parallel calls', async () => {
  const beside = await builtApplication(
    new URL('../../../packages/execution/test/applications/beside.ts', import.meta.url),
  );
  const start = { ...genesis({ 1: 1_000n }), timestampMs: NOW_MS, applications: [beside.inGenesis({ first: 7 })] };
  const mix = (from: number, to: number) => beside.call('mix', { from, to, rounds: 5_000 });
  const chunks = [0, 1, 2].map((round) =>
    supplied(Array.from({ length: 30 }, (_, i) => transaction({ actions: [mix((i * 7 + round) % 40, (i * 3) % 40)] }))),
  );
  const blocks = [childOf(ROOT, [chunkId(0)])];
  for (const i of [1, 2]) blocks.push(childOf(blocks[i - 1] as Made, [chunkId(i)]));
  const digests = [0, 1].map(async (callWorkers) => {
    const setting = { applications: [beside.artifact], callWorkers };
    const chunkOf = (id: ChunkId) => chunks[[0, 1, 2].findIndex((i) => bytesEqual(chunkId(i), id))] as SuppliedChunk;
    const executor = await openOn(await folders.newFolder(), start, chunkOf, undefined, setting);
    await settleAll(executor, blocks);
    const found = await Promise.all(blocks.map(({ blockId, block }) => executor.execute(blockId, block)));
    await executor.stop();
    return found.map(to0x);
  });
  const [without, withThreads] = await Promise.all(digests);
  expect(withThreads).toEqual(without);
});
