import { describe, expect, it } from 'vitest';
import {
  action,
  amount,
  application,
  cell,
  coin,
  event,
  fail,
  genesis,
  list,
  query,
  sorted,
  table,
  text,
  u8,
  u32,
} from '../src/index.ts';
import {
  ABSENT,
  type CallContext,
  createManifestJson,
  createProgram,
  DEFAULT_UNITS,
  FormError,
  type Host,
  type Interruption,
} from '../src/program/index.ts';
import { createMemoryChain, purseOf, UndeclaredKey } from './memory-host.ts';

const context = {
  sender: new Uint8Array(33).fill(1),
  transactionId: new Uint8Array(32).fill(2),
  timeMs: 1_000,
  height: 5,
} satisfies CallContext;

const counts = table(u32, u8, { empty: 0 });
const total = cell(u32, { empty: 0 });
const names = sorted(text(8), u8);
const Counted = event({ at: u32, count: u8 });

const count = action(
  { at: u32, by: u8 },
  {
    keys: (_, { at }) => [counts.key(at), total.key()],
    units: { compute: 4, reads: 2, writes: 2, bytes: 40, perInputKiB: { compute: 3 } },
    run(_, { at, by }) {
      total.set(total.get() + by);
      if (by === 13) fail('unlucky');
      if (by === 14) counts.get(at + 1);
      if (by === 15) throw new TypeError('broken');
      counts.set(at, counts.get(at) + by);
      Counted.emit({ at, count: counts.get(at) });
    },
  },
);
const pay = action(
  { value: amount },
  {
    run({ sender }, { value }) {
      coin.collect('fees', value);
      if (coin.balance(coin.purse('fees')) > 100n) coin.pay('fees', sender, 40n);
    },
  },
);

const make = (locked?: Parameters<typeof createProgram>[1]) =>
  createProgram(
    application({
      name: 'counts',
      version: 2,
      state: { counts, total, names },
      events: { Counted },
      actions: { count, pay },
      queries: {
        at: query({ at: u32 }, u8, ({ at }) => counts.get(at)),
        strict: query({ at: u32 }, u8, ({ at }) => counts.get(at) || fail('not-counted')),
      },
      genesis: genesis({ first: list(u32, 5) }, ({ first }) => {
        for (const at of first) counts.set(at, 1);
        total.set(first.length);
      }),
      invariants: { totalIsSmall: () => total.get() < 100, none: () => fail('never-holds') },
    }),
    locked,
  );

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

const program = make();
const json = createManifestJson(program.manifest);
const [COUNT, PAY] = [0, 1];
const input = (at: number, by: number) => json.inputFromJson(COUNT, { at, by });

describe('a call', () => {
  it('writes state and emits events', () => {
    const chain = createMemoryChain(program);
    expect(chain.call(COUNT, context, input(7, 3))).toEqual({ status: 'success' });
    expect(chain.call(COUNT, context, input(7, 3))).toEqual({ status: 'success' });
    expect(chain.events.map(({ event, body }) => [event, json.eventToJson(event, body)])).toEqual([
      [0, { at: 7, count: 6 }],
    ]);
    expect(chain.query('at', json.queryInputFromJson('at', { at: 7 }))).toEqual({
      status: 'success',
      output: Uint8Array.of(6),
    });
  });

  it.each([
    ['failed', { status: 'failed', code: 'unlucky' }, input(1, 13)],
    ['of bad input', { status: 'bad-input' }, Uint8Array.of(1, 2)],
    ['of input that is too long', { status: 'bad-input' }, Uint8Array.of(1, 0, 0, 0, 1, 0)],
    ['at fault', { status: 'fault', message: 'TypeError: broken' }, input(1, 15)],
    ['out of range', { status: 'fault', message: 'FormError: 300 is not an integer from 0 to 255' }, input(1, 0)],
  ])('that is %s says so, and changes nothing', (name, result, bytes) => {
    const chain = createMemoryChain(program);
    if (name === 'out of range') for (const by of [250, 50]) chain.call(COUNT, context, input(1, by));
    if (name === 'out of range') expect(chain.call(COUNT, context, input(1, 50))).toEqual(result);
    else expect(chain.call(COUNT, context, bytes)).toEqual(result);
    expect(chain.state.size).toBe(name === 'out of range' ? 2 : 0);
  });

  it('passes on what the host throws, and what interrupts it', () => {
    const chain = createMemoryChain(program);
    expect(() => chain.call(COUNT, context, input(1, 14))).toThrow(UndeclaredKey);
    const stop: Interruption = { interrupts: true };
    const throwing = (error: unknown): Host => ({
      ...chain.host,
      get() {
        throw error;
      },
    });
    for (const error of [stop, new TypeError('a fault of the node'), new FormError('bad-value', 'of the node')]) {
      program.use(throwing(error));
      expect(thrownBy(() => program.call(COUNT, context, input(1, 1)))).toBe(error);
      expect(thrownBy(() => program.query('at', input(1, 1).subarray(0, 4)))).toBe(error);
      expect(thrownBy(() => program.invariants())).toBe(error);
    }
  });

  it('moves native coins of the sender, through a purse', () => {
    const chain = createMemoryChain(program);
    chain.setBalance(context.sender, 150n);
    const paid = (value: string) => chain.call(PAY, context, json.inputFromJson(PAY, { value }));
    expect(paid('100')).toEqual({ status: 'success' });
    expect(paid('51')).toEqual({ status: 'failed', code: 'insufficient-balance' });
    expect(paid('50')).toEqual({ status: 'success' });
    const purse = purseOf(new Uint8Array(Buffer.from('fees')));
    expect([chain.balance(context.sender), chain.balance(purse)]).toEqual([40n, 110n]);
  });

  it('tells when its keys are declared, before it runs, and asks for none of them again', () => {
    const steps: string[] = [];
    const step =
      <T>(name: string, answer: T) =>
      () => {
        steps.push(name);
        return answer;
      };
    let keys = 0;
    const { host } = createMemoryChain(program);
    const key = () => {
      steps.push('key');
      return keys++;
    };
    const watched = { key, get: step('get', ABSENT), put: step('put', undefined), emit: step('emit', undefined) };
    program.use({ ...host, ...watched });
    expect(program.call(COUNT, context, input(1, 1), step('declared', undefined)).status).toBe('success');
    expect(steps.slice(0, 3)).toEqual(['key', 'key', 'declared']);
    expect(steps.slice(3)).not.toContain('key');
    expect(steps.at(-1)).toBe('emit');
  });

  it('does not depend on a declaration before it', () => {
    const chain = createMemoryChain(program);
    const bytes = input(9, 2);
    const asked: string[] = [];
    program.use({
      ...chain.host,
      key: (number, key, length) => {
        asked.push(`${number}:${Buffer.from(key.subarray(0, length)).toString('hex')}`);
        return chain.host.key(number, key, length);
      },
    });
    expect(program.declare(COUNT, context, bytes)).toBe(true);
    expect(asked).toEqual(['0:00000009', '1:']);
    asked.length = 0;
    program.call(COUNT, context, bytes);
    const alone = [...asked];
    asked.length = 0;
    program.call(COUNT, context, bytes);
    expect(asked).toEqual(alone);
    expect(program.declare(COUNT, context, Uint8Array.of(1))).toBe(false);
    expect(program.declare(PAY, context, json.inputFromJson(PAY, { value: '1' }))).toBe(false);
  });

  it('of what the manifest lacks is refused', () => {
    createMemoryChain(program);
    expect(() => program.call(7, context, new Uint8Array(0))).toThrow('counts has no action 7');
    expect(() => program.query('toString', new Uint8Array(0))).toThrow('counts has no query "toString"');
    expect(() => make().call(COUNT, context, input(1, 1))).toThrow('a program needs a host');
  });
});

describe('queries, genesis and invariants', () => {
  it('answer from the state', () => {
    const chain = createMemoryChain(program);
    expect(chain.genesis(json.genesisFromJson({ first: [3, 4] }))).toEqual({ status: 'success' });
    expect(chain.genesis(Uint8Array.of(1))).toEqual({ status: 'bad-input' });
    const ask = (at: number) => chain.query('strict', json.queryInputFromJson('strict', { at }));
    expect(ask(3)).toEqual({ status: 'success', output: Uint8Array.of(1) });
    expect(ask(5)).toEqual({ status: 'failed', code: 'not-counted' });
    expect(chain.query('strict', Uint8Array.of(1))).toEqual({ status: 'bad-input' });
    expect(chain.invariants()).toEqual(['none']);
    for (let i = 0; i < 10; i++) chain.call(COUNT, context, input(3, 11));
    expect(chain.invariants()).toEqual(['totalIsSmall', 'none']);
  });

  it('take no genesis input where there is no genesis', () => {
    const bare = createProgram(application({ name: 'bare', version: 1, state: {}, actions: {} }));
    createMemoryChain(bare);
    expect(bare.genesis(new Uint8Array(0))).toEqual({ status: 'success' });
    expect(bare.genesis(Uint8Array.of(1))).toEqual({ status: 'bad-input' });
    expect(createManifestJson(bare.manifest).genesisFromJson({})).toEqual(new Uint8Array(0));
  });
});

describe('the manifest', () => {
  it('is data with all numbers and forms', () => {
    const { manifest } = program;
    expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest);
    expect(manifest.actions).toEqual([
      {
        name: 'count',
        number: 0,
        input: {
          form: 'record',
          fields: [
            { name: 'at', of: { form: 'u32' } },
            { name: 'by', of: { form: 'u8' } },
          ],
        },
        units: {
          fixed: { compute: 4, reads: 2, writes: 2, bytes: 40 },
          perInputKiB: { compute: 3, reads: 0, writes: 0, bytes: 0 },
        },
        declaresUnits: true,
        declaresKeys: true,
        parallel: false,
      },
      expect.objectContaining({
        name: 'pay',
        number: 1,
        units: DEFAULT_UNITS,
        declaresUnits: false,
        declaresKeys: false,
      }),
    ]);
    expect(manifest.tables.map(({ name, number, kind, empty }) => [name, number, kind, empty])).toEqual([
      ['counts', 0, 'table', 0],
      ['total', 1, 'cell', 0],
      ['names', 2, 'sorted', undefined],
    ]);
    expect(manifest.invariants).toEqual(['totalIsSmall', 'none']);
  });

  it('takes numbers from a lock file, and leaves those of removed names free', () => {
    const moved = [table(u8, u8), table(u8, u8), table(u8, u8)] as const;
    const state = { a: moved[0], b: moved[1], c: moved[2] };
    const { tables } = createProgram(application({ name: 'locked', version: 1, state, actions: {} }), {
      tables: { b: 0, gone: 4 },
      actions: {},
      events: {},
    }).manifest;
    expect(tables.map(({ name, number }) => [name, number])).toEqual([
      ['b', 0],
      ['a', 5],
      ['c', 6],
    ]);
    const locks = [{ a: 1, b: 1 }, { a: 255 }, { a: -1 }];
    for (const tables of locks) expect(() => make({ tables, actions: {}, events: {} })).toThrow(FormError);
  });

  it('makes JSON of keys and values without the application', () => {
    expect(json.keyFromJson(0, 258)).toEqual(Uint8Array.of(0, 0, 1, 2));
    expect(json.keyFromJson(1, [])).toEqual(new Uint8Array(0));
    expect(json.keyFromJson(2, 'ab')).toEqual(Uint8Array.of(1, 0x61, 0x62, 0, 0));
    expect(json.keyToJson(2, Uint8Array.of(1, 0x61, 0, 0))).toBe('a');
    expect(json.keyToJson(2, Uint8Array.of(0, 0, 0, 0, 0))).toBeUndefined();
    expect(json.valueToJson(0, Uint8Array.of(1, 9))).toEqual({ version: 1, value: 9 });
    expect(() => json.valueToJson(0, Uint8Array.of(2, 9))).toThrow('version 2, which the manifest does not have');
    expect(() => json.inputFromJson(COUNT, { at: 1, by: 256 })).toThrow('input.by: expected an integer from 0 to 255');
    expect(() => json.inputFromJson(9, {})).toThrow('the manifest has no action 9');
  });
});

describe('definitions', () => {
  it('are refused where they cannot work', () => {
    const define = (part: object) => () => application({ name: 'a', version: 1, state: {}, actions: {}, ...part });
    for (const name of ['', 'A', '7up', '-a', 'a.b', 'a'.repeat(33)]) expect(define({ name })).toThrow(FormError);
    expect(define({ name: `a-9${'b'.repeat(29)}` })().name).toHaveLength(32);
    for (const part of [{ version: 0 }, { actions: { 'a-b': count } }, { state: { toString: counts } }])
      expect(define(part)).toThrow(FormError);
    expect(() => action({}, { parallel: true, run() {} })).toThrow('a parallel action needs keys');
    expect(() => fail('Not a code')).toThrow('is not a code of 1 to 64 characters');
  });
});
