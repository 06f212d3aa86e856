/** Finality at boundaries against elsewhere, as the demonstration of a changing committee counts it. */
import { expect, test, vi } from 'vitest';
import { sampleFinality } from '../../scripts/demo/finality.ts';

const BOUNDARY = { height: 80, viewsLost: 0, viewsLostAround: 0, endedMs: 10_000, gapMs: 200 };

type OnLatency = (stage: string, tookMs: number) => void;

/** Of transactions sent and final at these times. */
function spreadOf(...times: readonly (readonly [sentMs: number, finalMs: number])[]) {
  let report: OnLatency = () => {};
  const onLatency = (listener: OnLatency) => {
    report = listener;
    return () => {};
  };
  const samples = sampleFinality({ sent: { onLatency } } as unknown as Parameters<typeof sampleFinality>[0]);
  const now = vi.spyOn(Date, 'now');
  for (const [sentMs, finalMs] of times) {
    now.mockReturnValue(finalMs);
    report('final', finalMs - sentMs);
  }
  now.mockRestore();
  return samples.around([BOUNDARY]);
}

test('a transaction counts at the boundary by when it was sent: shortly before it, or up to the next block', () => {
  const { at, elsewhere } = spreadOf(
    [8_900, 9_300],
    [9_100, 9_400],
    [9_900, 12_000],
    [10_200, 10_600],
    [10_300, 10_700],
  );
  expect([at.transactions, elsewhere.transactions]).toEqual([3, 2]);
});

test('one that was sent long before and is slow is no finality of the boundary, though it is under way there', () => {
  const { at, elsewhere } = spreadOf([5_000, 11_000], [9_500, 9_900]);
  expect(at).toMatchObject({ transactions: 1, p99Ms: 400 });
  expect(elsewhere).toMatchObject({ transactions: 1, p99Ms: 6_000 });
});
