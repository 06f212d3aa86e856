import type { AccountSignature } from '@slipstream/ports';
import { type DecodedTransaction, decodeTransaction } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createSignatureChecks } from '../src/signature-checks.ts';
import { transaction } from './world.ts';

interface Batch {
  readonly asked: readonly AccountSignature[];
  answer(): void;
}

/** Checks whose timers and verifier are in the test's hands. Every signature is good. */
function checksInHand(gatherSignaturesMax = 100) {
  const timers: (() => void)[] = [];
  const batches: Batch[] = [];
  const verifier = {
    checkAccounts: (asked: readonly AccountSignature[]) =>
      new Promise<readonly boolean[]>((resolve) => {
        batches.push({ asked, answer: () => resolve(asked.map(() => true)) });
      }),
  };
  const clock = {
    wallMs: () => 0,
    monotonicMs: () => 0,
    after: (_: number, action: () => void) => {
      timers.push(action);
      return () => void timers.splice(timers.indexOf(action), 1);
    },
  };
  const budget = { take: () => true, giveBack: () => undefined };
  const checks = createSignatureChecks(
    { verifier, clock, sessions: { check: async () => undefined } },
    { gatherMs: 2, gatherSignaturesMax },
  );
  const made = new Map<number, DecodedTransaction>();
  function decoded(from: number): DecodedTransaction {
    const known = made.get(from) ?? decodeTransaction(transaction({ from }));
    made.set(from, known);
    return known;
  }
  return {
    checks,
    decoded,
    sizes: () => batches.map(({ asked }) => asked.length),
    submit: (from: number) => checks.checkGathered([decoded(from)], { name: 'client', budget }),
    pass() {
      for (const action of timers.splice(0)) action();
    },
    async answer(index: number) {
      batches[index]?.answer();
      for (let i = 0; i < 20; i++) await Promise.resolve();
    },
  };
}

describe('checks of clients’ signatures', () => {
  it('gather while the batch before is with the verifier, and go when it is answered', async () => {
    const { submit, pass, answer, sizes } = checksInHand();
    const results = [submit(1)];
    pass();
    for (const from of [2, 3]) {
      results.push(submit(from));
      pass();
    }
    expect(sizes()).toEqual([1]);
    await answer(0);
    expect(sizes()).toEqual([1, 2]);
    await answer(1);
    expect(await Promise.all(results)).toEqual([['good'], ['good'], ['good']]);
  });

  it('do not wait for the batch before when there is a full one', async () => {
    const { submit, pass, sizes } = checksInHand(2);
    void submit(1);
    pass();
    void submit(2);
    void submit(3);
    expect(sizes()).toEqual([1, 2]);
  });

  it('are made once for a transaction that comes in a chunk meanwhile', async () => {
    const { checks, submit, decoded, pass, answer, sizes } = checksInHand();
    const client = submit(1);
    pass();
    const chunk = checks.check([decoded(1), decoded(2)], 'chunk');
    expect(sizes()).toEqual([1, 1]);
    await answer(0);
    await answer(1);
    expect(await chunk).toEqual(['good', 'good']);
    expect(await client).toEqual(['good']);
    expect(checks.stats()).toEqual({ batches: 2, signatures: 2, joined: 1 });
  });

  it('of another transaction never answer for one whose id begins alike', async () => {
    const { checks, decoded, answer } = checksInHand();
    const one = decoded(1);
    const id = one.id.slice();
    id[31] = (id[31] as number) ^ 1;
    void checks.check([one], 'chunk');
    const other = checks.check([{ ...one, id: id as typeof one.id }], 'chunk');
    expect(checks.stats()).toEqual({ batches: 2, signatures: 2, joined: 0 });
    await answer(0);
    await answer(1);
    expect(await other).toEqual(['good']);
  });
});
