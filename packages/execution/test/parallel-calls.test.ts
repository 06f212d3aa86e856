import { accountKeyText, type PreparedTransaction } from '@slipstream/types';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Applications, type CallWorkers, createParallelCalls, FREE_FEES, METERED_FEES } from '../src/index.ts';
import { createCallCosts } from '../src/parallel/call-costs.ts';
import { builtApplication, freshApplications, type TestApplication } from './application-builders.ts';
import { account, type Chain, chain, genesis, transaction, transfer } from './builders.ts';
import { type PlayedWorkers, playedWorkers } from './played-workers.ts';

let beside: TestApplication;
/** Of a chain with workers, of one without, and of workers. */
let here: Applications;
let plain: Applications;
let there: Applications;

beforeAll(async () => {
  beside = await builtApplication(new URL('./applications/beside.ts', import.meta.url));
  [here, plain, there] = [beside, beside, beside].map((each) => freshApplications([each])) as [
    Applications,
    Applications,
    Applications,
  ];
});

const maxFee = 10n ** 11n;
const text = (number: number): string => accountKeyText(account(number));
/** Small calls are handed over, too. */
const ALWAYS = { isWorthHanding: () => true, patienceMs: () => 0, measured() {} };

function start(workers?: CallWorkers, fees = METERED_FEES): Chain {
  const begin = {
    ...genesis({ 1: 10n ** 13n, 2: 10n ** 13n, 3: 10n ** 13n }, fees),
    applications: [beside.inGenesis({ first: 7 })],
  };
  return chain(begin, workers ? here : plain, workers && createParallelCalls(workers, ALWAYS));
}

const call = (action: string, input: unknown, from = 1): PreparedTransaction =>
  transaction({ from, maxFee, actions: [beside.call(action, input)] });
const mix = (from: number, to: number, rounds = 10) => call('mix', { from, to, rounds });

/** On both chains; equal, with the results that were taken. */
function executeBoth(workers: PlayedWorkers, block: readonly PreparedTransaction[]): number {
  const [one, other] = [start(workers), start()];
  expect(one.execute(block)).toEqual(other.execute(block));
  return workers.taken();
}

describe('A18: calls of parallel actions run in workers with equal results', () => {
  it('results of calls without a common key are taken', () => {
    expect(executeBoth(playedWorkers(there.installed), [mix(1, 2), mix(3, 4), mix(5, 6)])).toBe(3);
  });

  it('a call with a key that was written before in the block runs at its place', () => {
    expect(executeBoth(playedWorkers(there.installed), [mix(1, 2), mix(2, 3), mix(2, 2), mix(5, 6)])).toBe(2);
    expect(executeBoth(playedWorkers(there.installed), [call('setFactor', { value: 9 }), mix(1, 2), mix(3, 4)])).toBe(
      0,
    );
  });

  it('a balance is a key, also of whom a purse pays', () => {
    const pay = (from: number, to: number) => call('pay', { to: text(to), value: '0' }, from);
    expect(executeBoth(playedWorkers(there.installed), [call('collect', { value: '5' }), pay(2, 9)])).toBe(0);
    expect(
      executeBoth(playedWorkers(there.installed), [
        pay(2, 8),
        transaction({ maxFee, actions: [transfer(9, 1n)] }),
        pay(2, 9),
      ]),
    ).toBe(1);
    const free = [start(playedWorkers(there.installed), FREE_FEES), start(undefined, FREE_FEES)] as const;
    const block = [call('collect', { value: '5' }), call('collect', { value: '6' }, 2), pay(1, 9), pay(2, 4)];
    expect(free[0].execute(block)).toEqual(free[1].execute(block));
  });

  it('what an earlier action of the transaction wrote is not overlooked', () => {
    const actions = [
      beside.call('mix', { from: 1, to: 2, rounds: 3 }),
      beside.call('mix', { from: 2, to: 3, rounds: 3 }),
    ];
    expect(executeBoth(playedWorkers(there.installed), [transaction({ maxFee, actions })])).toBe(1);
    const twice = [beside.call('cut', { at: 1 }), beside.call('cut', { at: 1 })];
    expect(executeBoth(playedWorkers(there.installed), [transaction({ maxFee, actions: twice })])).toBe(1);
  });

  it('results that are late, lost, or thrown are computed here', () => {
    const block = Array.from({ length: 9 }, (_, i) => mix(2 * i, 2 * i + 1));
    expect(executeBoth(playedWorkers(there.installed, { plays: () => false }), block)).toBe(0);
    expect(executeBoth(playedWorkers(there.installed, { plays: (at) => at % 2 === 0 }), block)).toBe(5);
    const throwing = playedWorkers(there.installed, {
      plays(at) {
        if (at < 4) throw new Error('a worker fails');
        return true;
      },
    });
    expect(executeBoth(throwing, block)).toBe(5);
  });

  it('a fault of the application is logged by the node, not by a worker', () => {
    expect(executeBoth(playedWorkers(there.installed), [call('crash', { at: 1 }), call('spin', {}), mix(1, 2)])).toBe(
      2,
    );
  });

  it('a worker that has other artifacts gives nothing', () => {
    const workers = { ...playedWorkers([]), count: 1 };
    expect(executeBoth(workers, [mix(1, 2), mix(3, 4)])).toBe(0);
  });

  it('random blocks with conflicts give equal receipts and writes, block after block', () => {
    const key = fc.integer({ min: 0, max: 5 });
    const action = fc.oneof(
      {
        weight: 4,
        arbitrary: fc
          .record({ from: key, to: key, rounds: fc.integer({ min: 0, max: 9 }) })
          .map((input) => ['mix', input] as const),
      },
      key.map((at) => ['cut', { at }] as const),
      fc.record({ at: key, other: key }).map((input) => ['stray', input] as const),
      key.map((at) => ['crash', { at }] as const),
      fc.integer({ min: 0, max: 50 }).map((value) => ['collect', { value: String(value) }] as const),
      fc
        .record({ to: fc.integer({ min: 1, max: 4 }), value: key })
        .map(({ to, value }) => ['pay', { to: text(to), value: String(value) }] as const),
      key.map((value) => ['setFactor', { value }] as const),
      fc.constant(['spin', {}] as const),
    );
    const made = fc.record({
      from: fc.integer({ min: 1, max: 3 }),
      fee: fc.constantFrom(maxFee, maxFee, maxFee, 1n),
      actions: fc.array(fc.oneof({ weight: 6, arbitrary: action }, { weight: 1, arbitrary: fc.constant(undefined) }), {
        minLength: 1,
        maxLength: 3,
      }),
      signatureValid: fc.constantFrom(true, true, true, true, false),
    });
    const blocks = fc.array(fc.array(made, { maxLength: 12 }), { minLength: 1, maxLength: 4 });
    let taken = 0;
    fc.assert(
      fc.property(
        blocks,
        fc.integer(),
        fc.boolean(),
        fc.constantFrom(FREE_FEES, METERED_FEES),
        (all, seed, isReverse, fees) => {
          const workers = playedWorkers(there.installed, {
            isReverse,
            plays: (at) => ((seed >>> (at % 31)) & 1) === 0,
          });
          const [one, other] = [start(workers, fees), start(undefined, fees)];
          for (const each of all) {
            const block = each.map(({ from, fee, actions, signatureValid }) =>
              transaction({
                from,
                maxFee: fee,
                signatureValid,
                actions: actions.map((it) => (it === undefined ? transfer(2, 1n) : beside.call(it[0], it[1]))),
              }),
            );
            expect(one.execute(block)).toEqual(other.execute(block));
          }
          taken += workers.taken();
        },
      ),
      { numRuns: 40 },
    );
    expect(taken).toBeGreaterThan(50);
  });
});

describe('what is handed over', () => {
  it('calls that take longer than handing them over costs, by what they took before', () => {
    const costs = createCallCosts();
    expect(costs.isWorthHanding('a', 2, 24)).toBe(true);
    expect(costs.isWorthHanding('a', 2, 23)).toBe(false);
    for (let i = 0; i < 100; i++) costs.measured('a', 5);
    expect(costs.isWorthHanding('a', 2, 900)).toBe(false);
    expect(costs.patienceMs('b', 900)).toBeCloseTo(2);
    for (let i = 0; i < 100; i++) costs.measured('a', 200);
    expect(costs.patienceMs('a', 900)).toBeCloseTo(0.6, 1);
    expect(costs.isWorthHanding('a', 10, 1)).toBe(true);
  });

  it('nothing from a sender whose signature is bad, of one call alone, or to no worker', () => {
    const workers = playedWorkers(there.installed);
    const on = start(workers);
    on.execute([mix(1, 2)]);
    on.execute([
      transaction({ signatureValid: false, actions: [beside.call('mix', { from: 1, to: 2, rounds: 1 })] }),
      mix(1, 2),
    ]);
    expect(workers.handed()).toBe(0);
    expect(executeBoth({ ...playedWorkers(there.installed), count: 0 }, [mix(1, 2), mix(3, 4)])).toBe(0);
  });
});
