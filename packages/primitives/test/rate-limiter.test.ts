import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimiter, createTokenBucket, type Rate } from '../src/index.ts';

const RATES: readonly Rate[] = [
  { perSecond: 1, burst: 4 },
  { perSecond: 8, burst: 2 },
  { perSecond: 0, burst: 3 },
  { perSecond: 4, burst: 4, initial: 1 },
];
const DEBT_MAX = 5;
const KEYS = 8;

const rateOf = (key: number): Rate => RATES[key % RATES.length] as Rate;

const beginsFull = (key: number): boolean => rateOf(key).initial === undefined;

type Step =
  | { readonly type: 'take' | 'charge' | 'refund'; readonly key: number; readonly tokens: number }
  | { readonly type: 'pass'; readonly ms: number };

/** Eighths of a second and whole tokens: sums are exact. */
const steps = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constantFrom('take' as const, 'charge' as const, 'refund' as const),
      key: fc.nat(KEYS - 1),
      tokens: fc.integer({ min: 0, max: 4 }),
    }),
    fc.record({ type: fc.constant('pass' as const), ms: fc.nat(24).map((eighths) => eighths * 125) }),
  ),
  { maxLength: 200 },
);

/** A bucket for every key, refilled every eighth of a second from its first use on. */
function createModel() {
  const tokens = Array.from({ length: KEYS }, (_, key) => rateOf(key).initial ?? rateOf(key).burst);
  const used = new Set<number>();
  const of = (key: number): number => tokens[key] as number;
  return {
    of,
    pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 125) {
        for (const [key, had] of tokens.entries()) {
          if (used.has(key)) tokens[key] = Math.min(rateOf(key).burst, had + rateOf(key).perSecond / 8);
        }
      }
    },
    take(key: number, wanted: number) {
      if (of(key) < wanted) return false;
      used.add(key);
      tokens[key] = of(key) - wanted;
      return true;
    },
    charge(key: number, cost: number) {
      used.add(key);
      tokens[key] = Math.max(-DEBT_MAX, of(key) - cost);
    },
    refund(key: number, back: number) {
      used.add(key);
      tokens[key] = Math.min(rateOf(key).burst, of(key) + back);
    },
  };
}

function play(
  sequence: readonly Step[],
  keysMax: number,
  onStep: (limiter: Limiter, model: Model, step: Step) => void,
) {
  const time = { nowMs: 0 };
  const limiter = createRateLimiter({ monotonicMs: () => time.nowMs }, { rate: rateOf, keysMax, debtMax: DEBT_MAX });
  const model = createModel();
  for (const step of sequence) {
    if (step.type === 'pass') {
      time.nowMs += step.ms;
      model.pass(step.ms);
    }
    onStep(limiter, model, step);
  }
}

type Limiter = ReturnType<typeof createRateLimiter<number>>;
type Model = ReturnType<typeof createModel>;

describe('a rate limiter', () => {
  it('grants each key what a bucket of its own would grant', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        play(sequence, KEYS, (limiter, model, step) => {
          if (step.type === 'take') {
            expect(limiter.take(step.key, step.tokens)).toBe(model.take(step.key, step.tokens));
          } else if (step.type !== 'pass') {
            limiter[step.type](step.key, step.tokens);
            model[step.type](step.key, step.tokens);
          }
          for (let key = 0; key < KEYS; key++) expect(limiter.left(key)).toBe(model.of(key));
        });
      }),
    );
  });

  it('returns the time until tokens are available, and they are available then and not before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: 400 }), (perSecond, cost) => {
        const time = { nowMs: 0 };
        const bucket = createTokenBucket({ monotonicMs: () => time.nowMs }, { perSecond, burst: 100 }, 1_000);
        bucket.charge(cost);
        const waitMs = bucket.waitMs(100);
        expect(waitMs).toBe(Math.ceil((cost * 1_000) / perSecond));
        time.nowMs = waitMs - 1;
        expect(bucket.take(100)).toBe(false);
        time.nowMs = waitMs;
        expect(bucket.take(100)).toBe(true);
      }),
    );
    expect(createTokenBucket({ monotonicMs: () => 0 }, { perSecond: 0, burst: 0 }).waitMs()).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  it('stores at most keysMax buckets, and never gives a key that began with a full bucket less than its own', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: KEYS }), (sequence, keysMax) => {
        play(sequence, keysMax, (limiter, model, step) => {
          if (step.type === 'take' && model.take(step.key, step.tokens)) {
            const isTaken = limiter.take(step.key, step.tokens);
            if (beginsFull(step.key)) expect(isTaken).toBe(true);
          } else if (step.type === 'charge' || step.type === 'refund') {
            limiter[step.type](step.key, step.tokens);
            model[step.type](step.key, step.tokens);
          }
          expect(limiter.size).toBeLessThanOrEqual(keysMax);
          for (let key = 0; key < KEYS; key++) {
            if (beginsFull(key)) expect(limiter.left(key)).toBeGreaterThanOrEqual(model.of(key));
          }
        });
      }),
    );
  });

  it('evicts full buckets', () => {
    const time = { nowMs: 0 };
    const rate = { perSecond: 1, burst: 2 };
    const limiter = createRateLimiter<string>({ monotonicMs: () => time.nowMs }, { rate, keysMax: 10 });
    limiter.take('a');
    limiter.take('b', 2);
    expect(limiter.size).toBe(2);
    time.nowMs = 1_000;
    expect([limiter.left('a'), limiter.left('b'), limiter.size]).toEqual([2, 1, 1]);
  });

  it('retains a debt through any number of other keys with smaller debts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 64 }), fc.integer({ min: 1, max: 9 }), (keysMax, others) => {
        const limiter = createRateLimiter<string>(
          { monotonicMs: () => 0 },
          { rate: { perSecond: 1, burst: 10 }, keysMax, debtMax: 100 },
        );
        limiter.charge('debtor', 110);
        for (let key = 0; key < 1_000; key++) limiter.charge(`other ${key}`, others);
        expect(limiter.left('debtor')).toBe(-100);
        expect(limiter.size).toBe(keysMax);
      }),
    );
  });
});
