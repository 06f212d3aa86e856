import { expect, it } from 'vitest';
import { createResubmission } from '../../src/epochs/resubmission.ts';
import type { SubmitResult } from '../../src/index.ts';

const REFUSED: SubmitResult = {
  type: 'rejected',
  reason: 'congested',
  message: 'later',
  id: undefined,
  retryAfterMs: 1_000,
};
const NEVER: SubmitResult = { ...REFUSED, reason: 'expired', retryAfterMs: undefined };

/** `answers`: of each call, by the first byte of each transaction. */
function opened(answers: readonly Readonly<Record<number, SubmitResult | undefined>>[]) {
  const calls: number[][] = [];
  let due: (() => void)[] = [];
  const resubmission = createResubmission({
    clock: {
      after(_, action) {
        due.push(action);
        return () => {
          due = due.filter((other) => other !== action);
        };
      },
    },
    intake: {
      async submit(transactions) {
        const numbers = transactions.map(([first]) => first as number);
        calls.push(numbers);
        const accepted = { type: 'accepted' } as SubmitResult;
        return numbers.map((number) => answers[calls.length - 1]?.[number] ?? accepted);
      },
    },
  });
  async function pass(): Promise<void> {
    for (const action of due.splice(0)) action();
    for (let i = 0; i < 10; i++) await Promise.resolve();
  }
  return { resubmission, calls, pass };
}

it('what is refused for now is submitted again, and nothing else', async () => {
  const { resubmission, calls, pass } = opened([{ 1: REFUSED, 2: NEVER }, { 1: REFUSED }]);
  resubmission.add([1, 2, 3].map((byte) => Uint8Array.of(byte)));
  expect(calls).toEqual([]);
  for (let times = 0; times < 5; times++) await pass();
  expect(calls).toEqual([[1, 2, 3], [1], [1]]);
});

it('nothing is submitted after a stop', async () => {
  const { resubmission, calls, pass } = opened([{ 1: REFUSED }]);
  resubmission.add([Uint8Array.of(1)]);
  await pass();
  resubmission.stop();
  await pass();
  resubmission.add([Uint8Array.of(1)]);
  await pass();
  expect(calls).toEqual([[1]]);
});

it('what is not accepted yet is known, also after a stop', async () => {
  const { resubmission, pass } = opened([{ 1: REFUSED, 2: NEVER }]);
  const numbers = () => resubmission.waiting().map(([first]) => first);
  resubmission.add([1, 2, 3].map((byte) => Uint8Array.of(byte)));
  expect(numbers()).toEqual([1, 2, 3]);
  await pass();
  expect(numbers()).toEqual([1]);
  resubmission.stop();
  expect(numbers()).toEqual([1]);
});
