/** A18 for calls of sessions, and for those in which a purse pays: what a worker cannot know decides the executor. */
import { type Action, accountKeyText, scopeOf } from '@slipstream/types';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createParallelCalls } from '../src/index.ts';
import { builtApplication, freshApplications, type TestApplication } from './application-builders.ts';
import { type PlayedWorkers, playedWorkers } from './played-workers.ts';
import { byHash, NOW_MS, person, prepared, sessionOf, signed, type TestChain, testChain } from './session-world.ts';

const alice = person('alice');
const bob = person('bob');
const ALWAYS = { isWorthHanding: () => true, patienceMs: () => 0, measured() {} };
const FUNDS = 1_000n;
let beside: TestApplication;

beforeAll(async () => {
  beside = await builtApplication(new URL('./applications/beside.ts', import.meta.url));
});

/** A chain with workers, and one without; a session of alice's, which has funds and a limit. */
function start(workers: PlayedWorkers, spendLimit: bigint) {
  const paid: string[][] = [[], []];
  const [one, other] = [createParallelCalls(workers, ALWAYS), undefined].map((parallel, side) =>
    testChain('own', {
      balances: [alice.account, bob.account],
      applications: [beside],
      input: { first: 7 },
      parallel,
      onExecuted: (_, ran) => void paid[side]?.push(ran.paid.map(accountKeyText).join()),
    }),
  ) as [TestChain, TestChain];
  const session = sessionOf(one, one, alice, { scope: scopeOf(['call:0', 'transfer']), spendLimit });
  const execute = (block: Parameters<TestChain['execute']>[0]) => {
    const [mine, others] = [one.execute(block, NOW_MS), other.execute(block, NOW_MS)];
    expect(mine).toEqual(others);
    expect(paid[0]).toEqual(paid[1]);
    return mine;
  };
  execute([
    signed(one, alice, { kind: 'transfer', to: session.account, amount: FUNDS }, session.action),
    signed(one, bob, beside.call('collect', { value: '500' })),
  ]);
  const use = (...actions: readonly Action[]) => prepared(byHash(one, session, { actions }));
  const own = (...actions: readonly Action[]) => signed(one, bob, ...actions);
  return { execute, use, own, session, paid };
}

const workersOf = (options?: Parameters<typeof playedWorkers>[1]): PlayedWorkers =>
  playedWorkers(freshApplications([beside]).installed, options);
const mix = (from: number, to: number): Action => beside.call('mix', { from, to, rounds: 0 });
const collect = (value: bigint): Action => beside.call('collect', { value: String(value) });
const pay = (to: string, value: bigint): Action => beside.call('pay', { to, value: String(value) });

describe('A18: calls of sessions, and those in which a purse pays', () => {
  it('are taken from workers, with whom they paid', () => {
    const workers = workersOf();
    const { execute, use, own, paid } = start(workers, 100n);
    const before = workers.taken();
    const carol = accountKeyText(person('carol').account);
    execute([use(mix(1, 2)), own(pay(carol, 5n)), use(mix(3, 4))]);
    expect(workers.taken() - before).toBe(3);
    expect(paid[0]?.slice(-3)).toEqual(['', carol, '']);
  });

  it('above the limit end as at their place, and count towards it', () => {
    const workers = workersOf();
    const { execute, use } = start(workers, 100n);
    const codes = (...block: Parameters<typeof execute>[0]) =>
      execute(block).receipts.map(({ outcome }) => (outcome.status === 'success' ? 'success' : outcome.code));
    const before = workers.taken();
    expect(codes(use(collect(60n)), use(mix(1, 2)))).toEqual(['success', 'success']);
    expect(workers.taken() - before).toBe(2);
    expect(codes(use(collect(41n)), use(mix(3, 4)))).toEqual(['session-limit', 'success']);
    expect(codes(use(mix(5, 6), collect(40n)), use(mix(1, 2)))).toEqual(['success', 'success']);
    expect(codes(use(collect(1n)), use(mix(3, 4)))).toEqual(['session-limit', 'success']);
  });

  it('in random blocks give the receipts, writes and histories of a chain without workers', () => {
    const key = fc.integer({ min: 0, max: 4 });
    const value = fc.oneof(fc.bigInt({ min: 0n, max: 60n }), fc.constantFrom(400n, 2n ** 64n - 1n));
    const call = fc.oneof(
      fc.tuple(key, key).map(([from, to]) => mix(from, to)),
      value.map(collect),
      fc.tuple(fc.constantFrom('alice', 'carol', 'dave'), value).map(([to, amount]) => {
        return pay(accountKeyText(person(to).account), amount);
      }),
      key.map((at) => beside.call('crash', { at })),
      value.map((amount): Action => ({ kind: 'transfer', to: bob.account, amount })),
    );
    const made = fc.record({
      isOfSession: fc.boolean(),
      actions: fc.array(call, { minLength: 1, maxLength: 3 }),
    });
    const blocks = fc.array(fc.array(made, { maxLength: 8 }), { minLength: 1, maxLength: 4 });
    let taken = 0;
    fc.assert(
      fc.property(blocks, fc.integer(), fc.constantFrom(100n, 1_000n), (all, seed, limit) => {
        const workers = workersOf({ plays: (at) => ((seed >>> (at % 31)) & 1) === 0 });
        const { execute, use, own } = start(workers, limit);
        for (const block of all)
          execute(block.map(({ isOfSession, actions }) => (isOfSession ? use : own)(...actions)));
        taken += workers.taken();
      }),
      { numRuns: 25 },
    );
    expect(taken).toBeGreaterThan(30);
  });
});
