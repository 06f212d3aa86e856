import { silentTelemetry } from '@slipstream/ports';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDistanceWatch } from '../../src/state-sync/distance-watch.ts';
import type { Joining } from '../../src/state-sync/join.ts';
import type { StagedState } from '../../src/state-sync/take-over.ts';

const DISTANCE = 100;
const clock = {
  monotonicMs: () => Date.now(),
  after(delayMs: number, action: () => void) {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
};
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const stagedAt = (height: number): StagedState => ({ height, version: 1, install: async () => {} });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Ways {
  readonly strands?: boolean;
  readonly whileJoining?: () => void;
}

function watched(
  outcome: Joining | Promise<Joining> | undefined,
  { strands = false, whileJoining = () => {} }: Ways = {},
) {
  const heights = { own: 50, reported: 50 };
  const joinedAt: number[] = [];
  const replaced: number[] = [];
  const beganMs = Date.now();
  const join = async () => {
    joinedAt.push((Date.now() - beganMs) / 1000);
    whileJoining();
    return await (outcome as Joining);
  };
  const watch = createDistanceWatch(
    {
      clock,
      telemetry: silentTelemetry,
      heights: () => heights,
      join: outcome === undefined ? undefined : join,
      isStranded: async () => strands,
      replace: ({ height }) => void replaced.push(height),
    },
    DISTANCE,
  );
  return { heights, joinedAt, replaced, watch };
}

test('Y25: a node further behind than the distance takes over the staged state, once', async () => {
  const { heights, replaced, joinedAt } = watched(stagedAt(900));
  await seconds(20);
  expect(joinedAt).toEqual([]);
  heights.reported = 1000;
  await seconds(60);
  expect(replaced).toEqual([900]);
  expect(joinedAt).toHaveLength(1);
});

test('Y25: a node that is behind within the distance and commits goes by blocks', async () => {
  const { heights, joinedAt } = watched(stagedAt(120));
  heights.reported = 50 + DISTANCE;
  for (let second = 0; second < 60; second++) {
    heights.own += 1;
    heights.reported += 1;
    await seconds(1);
  }
  expect(joinedAt).toEqual([]);
});

test('Y25: a node that is behind and has not committed for 10 s asks, whatever the distance', async () => {
  const { heights, replaced } = watched(stagedAt(90));
  heights.reported = 90;
  await seconds(9);
  expect(replaced).toEqual([]);
  await seconds(3);
  expect(replaced).toEqual([90]);
});

test('Y25: a state near the height that the node reached meanwhile is not taken', async () => {
  const { heights, replaced, joinedAt } = watched(stagedAt(900), { whileJoining: () => (heights.own = 880) });
  heights.reported = 1000;
  await seconds(12);
  expect(joinedAt).toHaveLength(1);
  expect(replaced).toEqual([]);
});

test('Y25: a node that took over a state and catches up by blocks takes no second one', async () => {
  const { heights, joinedAt } = watched(stagedAt(900));
  heights.reported = heights.own + 2 * DISTANCE;
  // It connects and asks for its first range.
  await seconds(3);
  for (let second = 0; second < 60; second++) {
    heights.reported += 7;
    heights.own = Math.min(heights.own + 20, heights.reported);
    await seconds(1);
  }
  expect(joinedAt).toEqual([]);
});

test('Y25: a node that comes nearer too slowly takes over a state', async () => {
  const { heights, joinedAt, replaced } = watched(stagedAt(900));
  heights.reported = 1000;
  for (let second = 0; second < 15; second++) {
    heights.reported += 7;
    heights.own += 9;
    await seconds(1);
  }
  expect(joinedAt).toHaveLength(1);
  expect(replaced).toEqual([900]);
});

test('Y25: a staged state is left when the node will be at the chain soon without it', async () => {
  const { promise: staged, resolve: stage } = Promise.withResolvers<Joining>();
  const { heights, joinedAt, replaced } = watched(staged);
  heights.reported = 1000;
  await seconds(12);
  expect(joinedAt).toHaveLength(1);
  heights.own = 700;
  await seconds(20);
  stage(stagedAt(900));
  await seconds(1);
  expect(replaced).toEqual([]);
});

test('Y25: after a failed attempt the pauses double up to ten minutes, until the node is near again', async () => {
  const { heights, joinedAt } = watched('failed');
  heights.reported = 1000;
  await seconds(3600);
  const pauses = joinedAt.slice(1).map((at, index) => Math.round(at - (joinedAt[index] ?? 0)));
  expect(pauses.slice(0, 7)).toEqual([30, 60, 120, 240, 480, 600, 600]);
  heights.own = 1000;
  await seconds(2);
  const before = joinedAt.length;
  heights.reported = 2000;
  await seconds(5);
  expect(joinedAt).toHaveLength(before + 1);
});

test('Y26: a node whose next block no peer has is stranded, until it commits again', async () => {
  for (const outcome of ['near', undefined] as const) {
    const { heights, watch } = watched(outcome, { strands: true });
    heights.reported = 90;
    await seconds(5);
    expect(watch.isStranded()).toBe(false);
    await seconds(10);
    expect(watch.isStranded()).toBe(true);
    heights.own = 51;
    await seconds(1);
    expect(watch.isStranded()).toBe(false);
    await watch.stop();
  }
});

test('a stopped watch takes over nothing, and its stop waits for the attempt under way', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<Joining>();
  const { heights, replaced, watch } = watched(held);
  heights.reported = 1000;
  await seconds(12);
  let stopped = false;
  const stopping = watch.stop().then(() => {
    stopped = true;
  });
  await seconds(60);
  expect(stopped).toBe(false);
  release(stagedAt(900));
  await stopping;
  expect(replaced).toEqual([]);
});
