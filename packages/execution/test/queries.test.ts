/** Queries of applications, on entries that are fetched round by round. */
import { sortedKeys, type TableManifest } from '@slipstream/app/program';
import { toHex } from '@slipstream/primitives';
import { accountKeyText, stateKeyOfAccount, stateKeyOfEntry } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createQueries, encodeAccount, QUERY_READS_MAX } from '../src/index.ts';
import { builtApplication } from './application-builders.ts';
import { freshQueries, runOn, storedGenesis } from './application-state.ts';
import { account, GENESIS_HASH } from './builders.ts';

const source = new URL('./applications/questions.ts', import.meta.url);
const COUNT = 500;
const RANKED = 1;

const application = await builtApplication(source);
const run = freshQueries(application, GENESIS_HASH);
const rich = encodeAccount({ balance: 7n, registration: undefined }) as Uint8Array;
const state = storedGenesis(application, { count: COUNT }).set(toHex(stateKeyOfAccount(account(1))), rich);

function answered(name: string, input: unknown) {
  const ended = runOn(state, run, name, application.json.queryInputFromJson(name, input));
  if (ended.type !== 'answer') return ended;
  return { value: application.json.queryOutputToJson(name, ended.output), rounds: ended.rounds };
}

it('finds the keys of a loop in one round, and answers in the next', () => {
  expect(answered('sum', { from: 0, to: 10 })).toEqual({ value: 285, rounds: 2 });
});

it('reads a range of a sorted table in a round for each node, and one for all entries', () => {
  const { value, rounds } = answered('page', { from: 100, limit: 50 }) as { value: string[]; rounds: number };
  expect(value).toEqual(Array.from({ length: 50 }, (_, i) => `number ${100 + i}`));
  expect(rounds).toBeLessThan(10);
});

it('reads native coins and names purses, and gives an absent balance as zero', () => {
  expect(answered('coins', { of: accountKeyText(account(1)) })).toMatchObject({ value: '7' });
  expect(answered('coins', { of: accountKeyText(account(2)) })).toMatchObject({ value: '0' });
  expect(answered('till', {})).toMatchObject({ value: expect.stringMatching(/^0x03[0-9a-f]{64}$/) });
});

it.each([
  ['refuse', {}, { type: 'failed', code: 'not-today' }],
  ['crash', {}, { type: 'fault', code: 'application-fault', message: 'Error: crashed' }],
  ['spin', {}, { type: 'fault', code: 'out-of-compute' }],
  ['write', {}, { type: 'fault', code: 'out-of-units' }],
  ['collect', {}, { type: 'fault' }],
  ['sum', { from: 0, to: QUERY_READS_MAX + 1 }, { type: 'fault', code: 'out-of-units' }],
])('ends %s %o with a reason, and the next query is not the worse for it', (name, input, expected) => {
  expect(answered(name, input)).toMatchObject(expected);
  expect(answered('sum', { from: 0, to: 3 })).toMatchObject({ value: 5 });
});

it('refuses an input that is no value of its form, and names that there are not', () => {
  const question = { kind: 'query', name: 'sum', input: new Uint8Array(3) } as const;
  const query = { application: 0, question, known: new Map() };
  expect(run(query)).toMatchObject({ type: 'fault', code: 'bad-input' });
  expect(() => run({ ...query, question: { ...question, name: 'none' } })).toThrow(RangeError);
  expect(() => run({ ...query, question: { kind: 'convert', table: 99, values: [new Uint8Array(1)] } })).toThrow(
    RangeError,
  );
  const none = createQueries(() => undefined, GENESIS_HASH);
  expect(() => none({ ...query, artifact: new Uint8Array(32) })).toThrow(RangeError);
});

it('a sorted table is read from its nodes alone, from each place and in both directions', () => {
  const table = application.manifest.tables.find(({ number }) => number === RANKED) as TableManifest;
  const read = (key: Uint8Array) => state.get(toHex(stateKeyOfEntry(0, RANKED, key)));
  const keysOf = (after: Uint8Array | undefined, limit: number, reverse: boolean) =>
    sortedKeys(table, read, { after, limit, reverse }).map((key) => application.json.keyToJson(RANKED, key));
  const at = (number: number) => application.json.keyFromJson(RANKED, number);
  expect(keysOf(undefined, COUNT + 1, false)).toEqual(Array.from({ length: COUNT }, (_, i) => i));
  expect(keysOf(at(9), 3, false)).toEqual([10, 11, 12]);
  expect(keysOf(at(9), 3, true)).toEqual([8, 7, 6]);
  expect(keysOf(undefined, 2, true)).toEqual([COUNT - 1, COUNT - 2]);
  expect(keysOf(at(COUNT - 1), 3, false)).toEqual([]);
});
