/** Entries and queries of applications, over a reader and a thread of their own. */
import type { TableManifest } from '@slipstream/app/program';
import { silentTelemetry } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import { stateKeyOfEntry } from '@slipstream/types';
import { afterAll, describe, expect, it } from 'vitest';
import { realClock } from '../../../../packages/api/test/running-api.ts';
import { builtApplication } from '../../../../packages/execution/test/application-builders.ts';
import { storedGenesis } from '../../../../packages/execution/test/application-state.ts';
import { GENESIS_HASH } from '../../../../packages/execution/test/builders.ts';
import { createApplicationReads } from '../../src/backend/application-reads.ts';
import type { ReadStateValues } from '../../src/executor/state-reader.ts';
import { createQueryRunner } from '../../src/queries/runner.ts';

const folder = '../../../../packages/execution/test/applications';
const questions = await builtApplication(new URL(`${folder}/questions.ts`, import.meta.url));
const heavy = await builtApplication(new URL(`${folder}/heavy.ts`, import.meta.url));
const COUNT = 400;
const stored = storedGenesis(questions, { count: COUNT });
const runner = createQueryRunner(
  { clock: realClock, telemetry: silentTelemetry },
  { applications: [questions.artifact, heavy.artifact], genesisHash: GENESIS_HASH },
);
afterAll(() => runner.stop());

/** Requests of the executor's thread so far, and the height of its answers. */
let asked = 0;
let height = 5;
const read: ReadStateValues = async (keys) => {
  asked += 1;
  return { height, values: keys.map((key) => stored.get(toHex(key))) };
};
const inEpoch = async () => [questions, heavy];
const ledger = { events: async () => undefined };
const reads = createApplicationReads({ inEpoch, read, ledger, runner });

function query(name: string, input: unknown, of = questions) {
  const application = of === questions ? 0 : 1;
  return reads.query({ application, name, input: of.json.queryInputFromJson(name, input) });
}

const ranked = questions.manifest.tables.find(({ name }) => name === 'ranked') as TableManifest;

describe('queries', () => {
  it('run in their thread, on entries of one height', async () => {
    const answer = await query('sum', { from: 0, to: 4 });
    expect(answer).toMatchObject({ type: 'answer', height: 5 });
    expect(answer.type === 'answer' && questions.json.queryOutputToJson('sum', answer.output)).toBe(14);
    expect(await query('refuse', {})).toEqual({ type: 'failed', code: 'not-today' });
    expect(await query('crash', {})).toMatchObject({ type: 'fault', reason: 'application-fault' });
  });

  it('read all keys again when the state moves on', async () => {
    const key = toHex(stateKeyOfEntry(0, 0, questions.json.keyFromJson(0, 1)));
    const before = stored.get(key) as Uint8Array;
    let requests = 0;
    const moving = createApplicationReads({
      inEpoch,
      ledger,
      runner,
      async read(keys) {
        requests += 1;
        // A block between the second read, which has the keys, and a third one that the last key needs.
        if (requests === 2) stored.set(key, Uint8Array.from([1, 5, 0, 0, 0]));
        return { height: requests, values: keys.map((each) => stored.get(toHex(each))) };
      },
    });
    const input = questions.json.queryInputFromJson('sum', { from: 1, to: 2 });
    const answer = await moving.query({ application: 0, name: 'sum', input });
    stored.set(key, before);
    expect(answer).toMatchObject({ type: 'answer', height: 2, output: Uint8Array.from([5, 0, 0, 0]) });
  });

  it('that take too long lose their thread, and the next one has another', async () => {
    const impatient = createQueryRunner(
      { clock: realClock, telemetry: silentTelemetry },
      { applications: [heavy.artifact], genesisHash: GENESIS_HASH },
      2_000,
    );
    const own = createApplicationReads({ inEpoch: async () => [heavy], read, ledger, runner: impatient });
    const input = (times: number) => heavy.json.queryInputFromJson('square', { times });
    const lost = await own.query({ application: 0, name: 'square', input: input(29) });
    expect(lost).toMatchObject({ type: 'fault', reason: 'out-of-compute' });
    expect(await own.query({ application: 0, name: 'square', input: input(2) })).toMatchObject({ type: 'answer' });
    await impatient.stop();
  });

  it('beyond 32 at once are refused for now', async () => {
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => query('till', {})));
    expect(outcomes.filter(({ type }) => type === 'overloaded')).toHaveLength(8);
    expect(outcomes.filter(({ type }) => type === 'answer')).toHaveLength(32);
    expect(await query('till', {})).toMatchObject({ type: 'answer' });
  });
});

describe('entries', () => {
  it('of a sorted table are all there, page by page, with few requests', async () => {
    const seen: unknown[] = [];
    let after: Uint8Array | undefined;
    asked = 0;
    do {
      const page = await reads.entries(0, ranked, { after, limit: 100, reverse: false });
      expect(page.height).toBe(5);
      for (const { key, value } of page.items) {
        const number = questions.json.keyToJson(ranked.number, key);
        seen.push(number);
        expect(questions.json.valueToJson(ranked.number, value).value).toBe(`number ${number}`);
      }
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual(Array.from({ length: COUNT }, (_, i) => i));
    expect(asked).toBeLessThanOrEqual(4 * 8);
  });

  it('of an empty table are none', async () => {
    const empty = createApplicationReads({
      inEpoch,
      ledger,
      runner,
      read: async ([epoch = new Uint8Array(0), ...keys]) => ({
        height,
        values: [stored.get(toHex(epoch)), ...keys.map(() => undefined)],
      }),
    });
    height = 6;
    expect(await empty.entries(0, ranked, { after: undefined, limit: 5, reverse: true })).toEqual({
      items: [],
      next: undefined,
      height: 6,
      epoch: 0,
    });
  });

  it('have the height of the state', async () => {
    const key = stateKeyOfEntry(0, 0, questions.json.keyFromJson(0, 3));
    expect(await reads.entry(key)).toEqual({ value: Uint8Array.from([1, 9, 0, 0, 0]), height: 6, epoch: 0 });
  });
});
