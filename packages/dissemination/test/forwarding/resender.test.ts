import { describe, expect, it } from 'vitest';
import { createResender } from '../../src/forwarding/resender.ts';

const RESEND_MS = 2_000;

/** Resends three transactions at a time. `pending`: oldest first. */
function resenderOf(pending: (readonly [arrivedMs: number, name: number])[]) {
  const clock = { now: 0, monotonicMs: () => clock.now, after: (_: number, fire: () => void) => arm(fire) };
  let due: () => void = () => {};
  const arm = (fire: () => void) => {
    due = fire;
    return () => {};
  };
  const sent: number[] = [];
  const entries = new Map<number, object>();
  const entryOf = ([arrivedMs, name]: readonly [number, number]) => {
    const known = entries.get(name) ?? { bytes: new Uint8Array([name]), arrivedMs };
    entries.set(name, known);
    return known;
  };
  createResender(
    {
      clock,
      pool: { entries: () => pending.map(entryOf) },
      forwarder: { addForAll: ({ bytes }: { readonly bytes: Uint8Array }) => sent.push(bytes[0] as number) },
      committees: { current: { self: undefined } },
    } as unknown as Parameters<typeof createResender>[0],
    { resendMs: RESEND_MS, resendTransactionsMax: 3 },
  );
  return {
    sweep(): readonly number[] {
      clock.now += RESEND_MS;
      due();
      return sent.splice(0);
    },
  };
}

describe('a full node sends again', () => {
  it('transactions pending for long enough, oldest first', () => {
    const { sweep } = resenderOf([
      [0, 1],
      [0, 2],
      [1_000, 3],
    ]);
    expect(sweep()).toEqual([1, 2]);
    expect(sweep()).toEqual([3, 1, 2]);
  });

  it('each in turn: undeliverable ones delay no other', () => {
    const pending = [1, 2, 3, 4, 5, 6, 7].map((name) => [0, name] as const);
    const { sweep } = resenderOf([...pending]);
    expect([sweep(), sweep(), sweep(), sweep()]).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [7, 1, 2],
      [3, 4, 5],
    ]);
  });
});
