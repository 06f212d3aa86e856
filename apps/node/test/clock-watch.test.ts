import type { Committee } from '@slipstream/types';
import { expect, test } from 'vitest';
import { createClockWatch } from '../src/telemetry/clock-watch.ts';

const NOW_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

function watched({ members = 4, self = 0, ownAheadMs = 0, isFresh = true } = {}) {
  let trueMs = NOW_MS;
  const components = { wallMs: () => trueMs + ownAheadMs, monotonicMs: () => trueMs, isFresh: () => isFresh };
  const committee = { members: Array.from({ length: members }) } as unknown as Pick<Committee, 'members'>;
  const watch = createClockWatch(components, { committee: () => committee, self: () => self });
  return {
    /** One per leader and second; its time is `aheadMs` ahead of the true one, and it arrives `lateMs` late. */
    blocks(leaders: Readonly<Record<number, { readonly aheadMs?: number; readonly lateMs?: number }>>, seconds = 5) {
      for (let second = 0; second < seconds; second++) {
        trueMs += 1000;
        for (const [leader, { aheadMs = 0, lateMs = 20 }] of Object.entries(leaders)) {
          const timestampMs = trueMs + aheadMs - lateMs;
          watch.listen('block.proposed', { leader: Number(leader), view: 7, timestampMs });
        }
      }
    },
    read: watch.read,
  };
}

test('synchronized clocks raise nothing, whatever the delay of a block', () => {
  const clocks = watched();
  clocks.blocks({ 1: {}, 2: { lateMs: 400 }, 3: { lateMs: 90 } });
  expect(clocks.read()).toEqual({ offsetMs: 90, fastLeaders: [] });
});

test.each([10_000, HOUR_MS, -10_000, -24 * HOUR_MS])(
  'an own clock that is off by %d ms shows against all others',
  (ownAheadMs) => {
    const clocks = watched({ ownAheadMs });
    clocks.blocks({ 1: {}, 2: {}, 3: {} });
    expect(clocks.read()).toEqual({ offsetMs: ownAheadMs + 20, fastLeaders: [] });
  },
);

test('a leader whose clock is ahead is named by the others, who trust their own', () => {
  const clocks = watched();
  clocks.blocks({ 1: {}, 2: {}, 3: { aheadMs: 10_000 } });
  expect(clocks.read()).toEqual({ offsetMs: 20, fastLeaders: [3] });
});

test('leaders that may all lie cast no doubt on the own clock', () => {
  const clocks = watched({ members: 7 });
  clocks.blocks({ 1: { aheadMs: -HOUR_MS }, 2: { aheadMs: -HOUR_MS }, 3: {}, 4: {}, 5: {} });
  expect(clocks.read().offsetMs).toBe(20);
  const few = watched({ members: 7 });
  few.blocks({ 1: { aheadMs: -HOUR_MS }, 2: { aheadMs: -HOUR_MS } });
  expect(few.read().offsetMs).toBeUndefined();
});

test('one block that arrived at once outweighs late ones', () => {
  const clocks = watched();
  clocks.blocks({ 1: { lateMs: 9000 }, 2: { lateMs: 9000 }, 3: { lateMs: 9000 } });
  clocks.blocks({ 1: {}, 2: {}, 3: {} }, 1);
  expect(clocks.read().offsetMs).toBe(20);
});

test('old blocks and few blocks give no result, and results are forgotten after a minute', () => {
  const behind = watched({ isFresh: false });
  behind.blocks({ 1: { lateMs: HOUR_MS }, 2: { lateMs: HOUR_MS } });
  expect(behind.read().offsetMs).toBeUndefined();
  const clocks = watched({ ownAheadMs: HOUR_MS });
  clocks.blocks({ 1: {}, 2: {} }, 2);
  expect(clocks.read().offsetMs).toBeUndefined();
  clocks.blocks({ 1: {}, 2: {} });
  expect(clocks.read().offsetMs).toBeGreaterThan(HOUR_MS);
  clocks.blocks({}, 61);
  expect(clocks.read().offsetMs).toBeUndefined();
});

test('a full node has one validator to compare with on a chain of one', () => {
  const clocks = watched({ members: 1, self: 1, ownAheadMs: -HOUR_MS });
  clocks.blocks({ 0: {} });
  expect(clocks.read().offsetMs).toBe(20 - HOUR_MS);
});
