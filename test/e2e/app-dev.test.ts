/** `slipstream app dev` as a process of its own: versions are saved while it runs, and asked at one address. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, generateKeyPair } from '@slipstream/client';
import { type AppDevelopment, removeFolder, startAppDevelopment, temporaryFolder } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkKits } from '../../apps/node/src/cli/app/kit-links.ts';
import type counter from './app-dev/counter.ts';

/** Of a process that was killed: no process has so large a number. */
const LEFT_OVER = 'slipstream-dev-4194305-';
let leftOver: string;
let folder: string;
let development: AppDevelopment;
const user = generateKeyPair();

let source: string;

/** The text of a version. `add`: what it does with its input. */
function version({ add = 'by', genesis = 'total.set(0)', top = '' }): string {
  return `${top}${source}`.replace('total.get() + by', `total.get() + ${add}`).replace('total.set(0)', genesis);
}

const client = () => createClient({ url: development.url });

async function send(by: number) {
  const app = await client().app<typeof counter>('counter');
  return app.send(app.actions.add({ by }), user);
}

async function total(): Promise<unknown> {
  const app = await client().app<typeof counter>('counter');
  return app.query.total({});
}

beforeAll(async () => {
  folder = await temporaryFolder();
  await linkKits(folder);
  leftOver = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), LEFT_OVER));
  source = await readFile(new URL('./app-dev/counter.ts', import.meta.url), 'utf8');
  const file = join(folder, 'counter.ts');
  await writeFile(file, version({}));
  development = await startAppDevelopment(file);
});

afterAll(async () => {
  await development?.stop();
  await removeFolder(folder);
});

test('a saved version has the history, at the same address; the receipts that it changed are listed', async () => {
  expect(await send(2)).toMatchObject({ status: 'final', events: [{ name: 'Added', fields: { total: 2 } }] });
  const second = await send(3);
  expect(await send(0)).toMatchObject({ status: 'failed' });
  expect(await total()).toBe(5);

  const reloaded = await development.save(version({ add: 'by * 2' }));
  expect(reloaded).toMatchObject({ event: 'reloaded', transactions: 3, changedCount: 2, left: 0 });
  expect(reloaded.changes).toMatchObject([
    { calls: 'counter.add', before: 'success, Added {"total":2}', after: 'success, Added {"total":4}' },
    {
      height: second.height,
      id: second.id,
      before: 'success, Added {"total":5}',
      after: 'success, Added {"total":10}',
    },
  ]);
  expect(await total()).toBe(10);
  expect(await client().transaction(second.id)).toMatchObject({
    height: second.height,
    events: [{ fields: { total: 10 } }],
  });
  expect(await send(1)).toMatchObject({ status: 'final', events: [{ fields: { total: 12 } }] });
});

test('what cannot be built, or fails in genesis, is refused with a remedy, and the version before runs on', async () => {
  const unbuilt = await development.save(version({ add: 'by * 2', top: 'export const began = Date.now();\n' }));
  expect(unbuilt).toMatchObject({
    event: 'refused',
    messages: ["counter.ts:1: Date is not allowed; an action's time is its context's timeMs"],
  });
  expect(await total()).toBe(12);
  const failing = await development.save(version({ genesis: "fail('not-like-this')" }));
  expect(failing).toMatchObject({ event: 'refused', messages: [expect.stringContaining('not-like-this')] });
  expect(await total()).toBe(12);
  expect(await send(1)).toMatchObject({ status: 'final', events: [{ fields: { total: 14 } }] });
  expect(await development.save(version({}))).toMatchObject({ event: 'reloaded', transactions: 5, changedCount: 4 });
  expect(await total()).toBe(7);
});

test('the folder of one that was killed is removed', () => {
  expect(existsSync(leftOver)).toBe(false);
});

test('a signal ends it', async () => {
  expect(await development.stop()).toBe(0);
});
