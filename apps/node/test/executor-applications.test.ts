/** Applications on the executor's thread: its stack, its realms, and their state after a restart. */
import { type Genesis, stateKeyOfEntry } from '@slipstream/types';
import { afterEach, expect, it } from 'vitest';
import { builtApplication, type TestApplication } from '../../../packages/execution/test/application-builders.ts';
import { genesis, NOW_MS, transaction } from '../../../packages/execution/test/builders.ts';
import { childOf, chunkId, createFolders, type Opened, openOn, ROOT, settleAll, supplied } from './executor-world.ts';

const folders = createFolders();
afterEach(folders.clear);

const source = new URL('../../../packages/execution/test/applications/troubles.ts', import.meta.url);
const FIRST = 5;

function chainOf(application: TestApplication): Genesis {
  return { ...genesis({ 1: 1_000n }), timestampMs: NOW_MS, applications: [application.inGenesis({ first: FIRST })] };
}

async function storedValue(executor: Opened, application: TestApplication, number: number): Promise<unknown> {
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
  expect(await storedValue(executor, application, FIRST - 1)).toBe(FIRST);
  await settleAll(executor, [childOf(ROOT, [chunkId(1)])]);
  expect(await storedValue(executor, application, 1)).toBe(60_000);
  expect(await storedValue(executor, application, 21)).toBe(7);
  await executor.stop();
  const again = await openOn(folder, start, () => chunk, undefined, setting);
  expect(await storedValue(again, application, 1)).toBe(60_000);
  await again.stop();
});
