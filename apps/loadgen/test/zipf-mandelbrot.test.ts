import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSeededRandom } from '../src/workload/seeded-random.ts';
import { ACCOUNTS_LAW, createZipfMandelbrot, probabilityOf } from '../src/workload/zipf-mandelbrot.ts';

const DRAWS = 40_000;

/**
 * Pearson's statistic over ranks that are expected at least 20 times, the others as one. Its mean is the number of cells less one,
 * its variance twice that; six deviations above are met once in far more runs than this test will ever have.
 */
function strangeness(law: { readonly n: number; readonly s: number; readonly v: number }, seed: string): number {
  const draw = createZipfMandelbrot(law, createSeededRandom(seed).unit);
  const counts = new Map<number, number>();
  for (let i = 0; i < DRAWS; i++) {
    const rank = draw();
    expect(Number.isInteger(rank) && rank >= 0 && rank < law.n).toBe(true);
    counts.set(rank, (counts.get(rank) ?? 0) + 1);
  }
  const probability = probabilityOf(law);
  let statistic = 0;
  let cells = 0;
  let restSeen = DRAWS;
  let restExpected = DRAWS;
  for (let rank = 0; rank < law.n; rank++) {
    const expected = DRAWS * probability(rank);
    if (expected < 20) break;
    const seen = counts.get(rank) ?? 0;
    statistic += (seen - expected) ** 2 / expected;
    cells += 1;
    restSeen -= seen;
    restExpected -= expected;
  }
  if (restExpected >= 20) {
    statistic += (restSeen - restExpected) ** 2 / restExpected;
    cells += 1;
  }
  const freedom = Math.max(1, cells - 1);
  return (statistic - freedom) / Math.sqrt(2 * freedom);
}

test('ranks are drawn with the probabilities of the law, for any exponent, offset and number of ranks', () => {
  const laws = fc.record({
    n: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 31, max: 20_000 })),
    s: fc.oneof(fc.constant(1), fc.constant(1.0001), fc.double({ min: 0.2, max: 3, noNaN: true })),
    v: fc.double({ min: 1, max: 20, noNaN: true }),
  });
  fc.assert(
    fc.property(laws, fc.integer(), (law, seed) => {
      expect(strangeness(law, String(seed))).toBeLessThan(6);
    }),
    { numRuns: 40 },
  );
});

test('the law of the accounts holds over 10 million ranks, in its head and in its tail', () => {
  const law = { n: 10_000_000, ...ACCOUNTS_LAW };
  expect(strangeness(law, 'head')).toBeLessThan(6);
  const draw = createZipfMandelbrot(law, createSeededRandom('tail').unit);
  const probability = probabilityOf(law);
  let head = 0;
  for (let rank = 0; rank < 100_000; rank++) head += probability(rank);
  const beyond = Array.from({ length: DRAWS }, draw).filter((rank) => rank >= 100_000).length;
  const expected = DRAWS * (1 - head);
  expect(Math.abs(beyond - expected)).toBeLessThan(6 * Math.sqrt(expected));
});

test('equal seeds draw the same ranks, different seeds draw others', () => {
  const draws = (seed: string) => {
    const draw = createZipfMandelbrot({ n: 1_000_000, ...ACCOUNTS_LAW }, createSeededRandom(seed).unit);
    return Array.from({ length: 50 }, draw);
  };
  expect(draws('a')).toEqual(draws('a'));
  expect(draws('a')).not.toEqual(draws('b'));
});
