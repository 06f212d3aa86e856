/** Compliance suite for every Clock and Random. */
import { describe, expect, test } from 'vitest';
import type { Clock, Random } from '../src/index.ts';

export interface ClockUnderTest {
  readonly clock: Clock;
  /** Advances time until the condition holds. */
  until(condition: () => boolean): Promise<void>;
}

export function describeClock(name: string, createClock: () => ClockUnderTest): void {
  describe(`${name}: clock`, () => {
    test('runs an action once, never early, at monotonic time', async () => {
      const { clock, until } = createClock();
      const startMs = clock.monotonicMs();
      const tookMs: number[] = [];
      for (const delayMs of [0, 1, 1.5, 20]) {
        clock.after(delayMs, () => {
          expect(clock.monotonicMs() - startMs).toBeGreaterThanOrEqual(delayMs);
          tookMs.push(delayMs);
        });
      }
      expect(tookMs).toEqual([]);
      await until(() => tookMs.length >= 4);
      expect([...tookMs].sort((a, b) => a - b)).toEqual([0, 1, 1.5, 20]);
    });

    test('runs no cancelled action, also when cancelled twice or late', async () => {
      const { clock, until } = createClock();
      const ran: string[] = [];
      const cancel = clock.after(1, () => ran.push('cancelled'));
      cancel();
      cancel();
      const cancelLate = clock.after(2, () => ran.push('kept'));
      await until(() => ran.length > 0);
      cancelLate();
      clock.after(5, () => ran.push('later'));
      await until(() => ran.includes('later'));
      expect(ran).toEqual(['kept', 'later']);
    });

    test('runs an action with a negative delay at once, and one with a very long delay not early', async () => {
      const { clock, until } = createClock();
      const ran: string[] = [];
      const cancel = clock.after(2 ** 40, () => ran.push('in 35 years'));
      clock.after(-5, () => ran.push('now'));
      await until(() => ran.includes('now'));
      expect(ran).toEqual(['now']);
      cancel();
    });

    test('shows a plausible wall time', () => {
      const { clock } = createClock();
      expect(Number.isInteger(clock.wallMs())).toBe(true);
      expect(clock.wallMs()).toBeGreaterThan(Date.UTC(2023, 0));
    });
  });
}

export function describeRandom(name: string, createRandom: () => Random): void {
  describe(`${name}: chance`, () => {
    test('fills as many bytes as requested, different ones each time', () => {
      const random = createRandom();
      expect([0, 1, 5, 5_000].map((length) => random.bytes(length).length)).toEqual([0, 1, 5, 5_000]);
      expect(random.bytes(16)).not.toEqual(random.bytes(16));
    });

    test('stays within its bounds and reaches each value', () => {
      const random = createRandom();
      const seen = new Set<number>();
      for (let i = 0; i < 2_000; i++) {
        seen.add(random.below(10));
        const unit = random.unit();
        expect(unit >= 0 && unit < 1).toBe(true);
        expect(random.below(2 ** 45)).toBeLessThan(2 ** 45);
      }
      expect([...seen].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(random.below(1)).toBe(0);
      for (const bound of [0, -1, 1.5, Number.NaN]) expect(() => random.below(bound)).toThrow(RangeError);
    });
  });
}
