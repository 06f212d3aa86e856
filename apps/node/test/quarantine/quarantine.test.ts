import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentTelemetry } from '@slipstream/ports';
import type { QuarantineView } from '@slipstream/schema';
import type { Action, Transaction } from '@slipstream/types';
import { expect, onTestFinished, test } from 'vitest';
import { openQuarantine } from '../../src/quarantine/quarantine.ts';

const ID = 'ab'.repeat(32);
const MINT: QuarantineView = {
  application: 'token',
  action: 1,
  name: 'mint',
  by: 'watchdog',
  sinceMs: 7,
  transaction: `0x${ID}`,
};

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'slipstream-quarantine-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

const call = (application: string, action: number): Action => ({
  kind: 'call',
  application,
  action,
  input: new Uint8Array(0),
});
const transaction = (...actions: readonly Action[]) => ({ body: { actions } }) as unknown as Transaction;

test('a transaction with a call of a quarantined action is refused, and no other', async () => {
  const quarantine = openQuarantine(await folder(), silentTelemetry);
  expect(quarantine.refusalOf(transaction(call('token', 1)))).toBeUndefined();
  quarantine.add(MINT);
  const write: Action = { kind: 'setData', name: 'n', value: new Uint8Array(0) };
  expect(quarantine.refusalOf(transaction(write, call('token', 1)))).toContain('token.mint');
  for (const other of [call('token', 2), call('escrow', 1), write])
    expect(quarantine.refusalOf(transaction(other))).toBeUndefined();
});

test('a chunk is left out for the transaction that ran too long, not for others of its action', async () => {
  const quarantine = openQuarantine(await folder(), silentTelemetry);
  expect(quarantine.holds([ID])).toBe(false);
  quarantine.add(MINT);
  expect(quarantine.holds(['cd'.repeat(32), ID])).toBe(true);
  expect(quarantine.holds(['cd'.repeat(32)])).toBe(false);
});

test('it lasts over a restart, and is lifted for good', async () => {
  const home = await folder();
  openQuarantine(home, silentTelemetry).add(MINT);
  const again = openQuarantine(home, silentTelemetry);
  expect(again.list()).toEqual([MINT]);
  expect(again.lift('token', 2)).toBe(false);
  expect(again.lift('token', 1)).toBe(true);
  expect(again.holds([ID])).toBe(false);
  expect(openQuarantine(home, silentTelemetry).list()).toEqual([]);
});

test('an action is in it once, and no more than 64 are', async () => {
  const quarantine = openQuarantine(await folder(), silentTelemetry);
  for (let action = 0; action < 100; action++)
    for (let twice = 0; twice < 2; twice++) quarantine.add({ ...MINT, action });
  expect(quarantine.list()).toHaveLength(64);
  expect(quarantine.add({ ...MINT, action: 100 })).toBe(false);
  expect(quarantine.add(MINT)).toBe(true);
});

test.each([
  ['no JSON', '{'],
  ['another form', '[{"application":"token"}]'],
  ['an id that is none', JSON.stringify([{ ...MINT, transaction: '0x12' }])],
])('a file with %s is no reason to stop: the list begins empty, and is written again', async (_what, text) => {
  const home = await folder();
  await writeFile(join(home, 'quarantine.json'), text);
  const quarantine = openQuarantine(home, silentTelemetry);
  expect(quarantine.list()).toEqual([]);
  quarantine.add(MINT);
  expect(JSON.parse(await readFile(join(home, 'quarantine.json'), 'utf8'))).toEqual([MINT]);
});
