import { createLeaderSchedule, view } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBlockIntervalEstimator } from '../src/block-interval.ts';
import { LOCAL_OPTIONS, optionFaults, WAN_OPTIONS } from '../src/index.ts';
import { createLogMarks } from '../src/log-marks.ts';
import { createPacemaker } from '../src/pacemaker.ts';
import { committeeOf, GENESIS_HASH } from './core-world.ts';

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

describe('the leader schedule', () => {
  it('gives each validator views in proportion to weight, in every period', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 12 }), (weights) => {
        const leaderOf = createLeaderSchedule(committeeOf(weights), GENESIS_HASH);
        const divisor = weights.reduce(gcd, 0);
        const period = weights.reduce((sum, weight) => sum + weight, 0) / divisor;
        const led = weights.map(() => 0);
        for (let at = 0; at < period; at++) led[leaderOf(view(at))] = (led[leaderOf(view(at))] ?? 0) + 1;
        expect(led).toEqual(weights.map((weight) => weight / divisor));
        expect(leaderOf(view(period + 3))).toBe(leaderOf(view(3)));
      }),
    );
  });

  it('with equal weights gives no validator two views in a row', () => {
    const leaderOf = createLeaderSchedule(committeeOf([1, 1, 1, 1]), GENESIS_HASH);
    for (let at = 0; at < 20; at++) expect(leaderOf(view(at))).not.toBe(leaderOf(view(at + 1)));
  });
});

describe('options', () => {
  it('have defaults that keep the rules between them', () => {
    expect([optionFaults(LOCAL_OPTIONS), optionFaults(WAN_OPTIONS)]).toEqual([[], []]);
  });

  it.each([
    ['graceMs', { graceMs: 39 }],
    ['leaderTimeoutMs', { leaderTimeoutMs: 99 }],
    ['viewTimeoutMs', { viewTimeoutMs: 459 }],
    ['maxTimeoutMs', { maxTimeoutMs: 799 }],
    ['minBlockIntervalMs', { minBlockIntervalMs: 10_001 }],
    ['retryMs', { retryMs: 0 }],
    ['lookaheadViews', { lookaheadViews: 1 }],
    ['delayMs', { delayMs: Number.NaN }],
  ])('with a wrong %s are rejected by name', (name, wrong) => {
    expect(optionFaults({ ...LOCAL_OPTIONS, ...wrong }).join()).toContain(name);
  });
});

describe('the pacemaker', () => {
  it('lengthens all three timers by 1.5 per nullified view, up to the cap, and resets on a finalization', () => {
    const pacemaker = createPacemaker(LOCAL_OPTIONS);
    for (let i = 0; i < 3; i++) pacemaker.nullified();
    pacemaker.enter(1000, { waitMs: 100, futile: false });
    expect(pacemaker.viewDeadlineMs).toBe(1000 + 100 + 800 * 1.5 ** 3);
    expect(pacemaker.leaderDeadlineMs).toBe(1000 + 100 + 400 * 1.5 ** 3);
    expect(pacemaker.graceDeadlineMs).toBe(1000 + 40 * 1.5 ** 3);
    for (let i = 0; i < 30; i++) pacemaker.nullified();
    pacemaker.enter(0, { waitMs: 100, futile: false });
    expect(pacemaker.viewDeadlineMs).toBe(100 + LOCAL_OPTIONS.maxTimeoutMs);
    pacemaker.finalized();
    expect(pacemaker.multiplier).toBe(1);
  });

  it('waits longer while the mempool is empty, and no longer when it is not', () => {
    const pacemaker = createPacemaker(LOCAL_OPTIONS);
    pacemaker.enter(0, { waitMs: 1000, futile: false });
    expect(pacemaker.leaderDeadlineMs).toBe(1400);
    pacemaker.waits(100, 100);
    expect(pacemaker.leaderDeadlineMs).toBe(600);
  });

  it('counts from the time a leader may propose: an interval longer than the timeouts costs no view', () => {
    const pacemaker = createPacemaker(LOCAL_OPTIONS);
    pacemaker.enter(0, { waitMs: 5_000, futile: false });
    expect([pacemaker.leaderDeadlineMs, pacemaker.viewDeadlineMs]).toEqual([5_400, 5_800]);
    pacemaker.waits(1_000, 5_000);
    expect(pacemaker.leaderDeadlineMs).toBe(5_400);
    pacemaker.waits(1_000, 6_000);
    expect(pacemaker.leaderDeadlineMs).toBe(6_400);
  });

  it('ends a view at the same time however often pending transactions come and go', () => {
    const pacemaker = createPacemaker(LOCAL_OPTIONS);
    pacemaker.enter(0, { waitMs: 1000, futile: false });
    for (let nowMs = 50; nowMs < 1400; nowMs += 100) {
      pacemaker.waits(nowMs, 100);
      pacemaker.waits(nowMs + 50, 1000);
    }
    expect([pacemaker.leaderDeadlineMs, pacemaker.viewDeadlineMs]).toEqual([1400, 1800]);
  });

  it('keeps the end of a view that too many refuse, whatever is pending', () => {
    const pacemaker = createPacemaker(LOCAL_OPTIONS);
    pacemaker.enter(0, { waitMs: 100, futile: true });
    pacemaker.waits(10, 1000);
    expect(pacemaker.viewDeadlineMs).toBe(LOCAL_OPTIONS.minViewMs);
  });
});

describe('the block-interval estimator', () => {
  const BLOCK_MS = 200;
  const repeat = (count: number, ms: number): readonly number[] => Array.from({ length: count }, () => ms);

  /** A block each 200 ms. */
  function paced() {
    const pace = createBlockIntervalEstimator(LOCAL_OPTIONS);
    let nowMs = 1_000_000;
    return {
      pace,
      blocks(tookMs: readonly number[]): number {
        for (const ms of tookMs) {
          nowMs += BLOCK_MS;
          pace.finalized(ms, nowMs);
        }
        return pace.extraMs;
      },
      /** What came while this process stood still: all in one moment. */
      atOnce(tookMs: readonly number[]): void {
        for (const ms of tookMs) pace.finalized(ms, nowMs);
      },
    };
  }
  const paceAfter = (...tookMs: readonly number[]) => paced().blocks(tookMs.flatMap((ms) => repeat(100, ms)));

  it('adds nothing while blocks become final about as fast as usual', () => {
    expect(paceAfter(30)).toBe(0);
    expect(paceAfter(30, 55)).toBe(0);
  });

  it('grows with lateness and shrinks with it', () => {
    expect(paceAfter(30, 90)).toBeGreaterThan(paceAfter(30, 80));
    expect(paceAfter(30, 90, 40)).toBe(0);
  });

  it('gives the same around the world: distance is not lateness', () => {
    expect(paceAfter(300)).toBe(0);
    expect(paceAfter(300, 600)).toBe(0);
  });

  it('never uses more than half of the leader’s timeout', () => {
    expect(paceAfter(30, 60_000)).toBe(LOCAL_OPTIONS.leaderTimeoutMs / 2);
  });

  it('ignores blocks that were final at once: a single one, or a backlog after a pause of this process', () => {
    const { blocks, atOnce } = paced();
    blocks(repeat(1_000, 150));
    expect(blocks([0, ...repeat(40, 150)])).toBe(0);
    atOnce(repeat(200, 1));
    expect(blocks(repeat(40, 150))).toBe(0);
  });

  it('is not lengthened by a third of leaders that propose late on purpose, for any time', () => {
    const { blocks } = paced();
    const turn = [150, 1, 150, 150, 150, 1, 1, 150, 150];
    for (let i = 0; i < 400; i++) expect(blocks(turn)).toBe(0);
  });

  it('adapts its baseline: a duration that holds for many minutes becomes the usual one', () => {
    const { blocks } = paced();
    blocks(repeat(3_000, 60));
    expect(blocks(repeat(100, 200))).toBe(80);
    expect(blocks(repeat(3_000, 200))).toBe(0);
  });

  it('continues from its saved state', () => {
    const { blocks, pace } = paced();
    blocks([...repeat(100, 30), ...repeat(40, 90)]);
    const next = createBlockIntervalEstimator(LOCAL_OPTIONS, structuredClone(pace.state));
    expect(next.extraMs).toBe(30);
  });
});

describe('log marks', () => {
  it('never release a record of a view that still matters', () => {
    const shape = fc.record({
      records: fc.integer({ min: 0, max: 3000 }),
      perView: fc.integer({ min: 1, max: 300 }),
      late: fc.integer({ min: 0, max: 20 }),
      below: fc.integer({ min: 0, max: 400 }),
    });
    fc.assert(
      fc.property(shape, ({ records, perView, late, below }) => {
        // Ascending, with some that come late, as a log has them.
        const views = Array.from({ length: records }, (_, at) => {
          return Math.max(0, Math.floor(at / perView) - ((at * 7919) % (late + 1)));
        });
        const marks = createLogMarks();
        for (const [sequence, at] of views.entries()) marks.add(at, sequence);
        const cut = marks.sequenceBelow(below) ?? 0;
        expect(views.slice(0, cut).every((at) => at < below)).toBe(true);
      }),
    );
  });

  it('release records below a mark', () => {
    const marks = createLogMarks();
    for (let sequence = 0; sequence < 1024; sequence++) marks.add(sequence, sequence);
    expect(marks.sequenceBelow(255)).toBe(0);
    expect(marks.sequenceBelow(300)).toBe(256);
    expect(marks.sequenceBelow(5000)).toBe(768);
  });

  it('retain the records of earlier processes until their views are past', () => {
    const marks = createLogMarks(185);
    for (let sequence = 1000; sequence < 2000; sequence++) marks.add(100, sequence);
    expect(marks.sequenceBelow(150)).toBeUndefined();
    expect(marks.sequenceBelow(186)).toBe(1768);
  });
});
