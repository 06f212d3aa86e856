/** Bisection without pairings: errors are numbers, a sum holds when they add up to zero. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findOffenders, type GroupTests } from '../src/index.ts';

/** Size of exhaustive sets; 16 (65,535 subsets) takes seconds, so only on request. */
const ALL_SUBSETS_OF = process.env.SLIPSTREAM_LONG ? 16 : 12;

function testsOver(errors: readonly number[]): GroupTests & { count: number } {
  return {
    count: 0,
    sumHolds(members) {
      this.count++;
      return members.reduce((sum, member) => sum + (errors[member] as number), 0) === 0;
    },
    allValid(members) {
      this.count++;
      return members.every((member) => errors[member] === 0);
    },
  };
}

const range = (size: number): number[] => [...Array(size).keys()];

/** Checks the verdict; returns the number of tests. */
function judge(errors: readonly number[]): number {
  const tests = testsOver(errors);
  const { offenders, valid } = findOffenders(range(errors.length), tests);
  const bad = range(errors.length).filter((member) => errors[member] !== 0);
  const ascending = (a: number, b: number): number => a - b;
  expect([...offenders].sort(ascending)).toEqual(bad);
  expect([...valid].sort(ascending)).toEqual(range(errors.length).filter((member) => errors[member] === 0));
  return tests.count;
}

/** Counts the first check too. */
function naiveChecks(errors: readonly number[]): number {
  if (errors.length === 1 || errors.every((error) => error === 0)) return 1;
  const middle = Math.ceil(errors.length / 2);
  return 1 + naiveChecks(errors.slice(0, middle)) + naiveChecks(errors.slice(middle));
}

describe('bisection', () => {
  test(`finds exactly the bad ones, for every subset of up to ${ALL_SUBSETS_OF}`, () => {
    for (let size = 1; size <= ALL_SUBSETS_OF; size++) {
      for (let subset = 1; subset < 2 ** size; subset++) {
        const tests = judge(range(size).map((member) => (subset >> member) & 1));
        expect(tests).toBeLessThanOrEqual(2 * size);
      }
    }
  });

  test('finds exactly the bad ones in random subsets of up to 512, at any density', () => {
    const density = fc.constantFrom(0.002, 0.01, 0.05, 0.2, 0.5, 0.9, 1);
    const draws = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 512, size: 'max' });
    fc.assert(
      fc.property(density, draws, fc.nat(), (bad, numbers, forced) => {
        const errors = numbers.map((number) => (number < bad ? 1 : 0));
        errors[forced % errors.length] = 1;
        expect(judge(errors)).toBeLessThanOrEqual(2 * errors.length);
      }),
      { numRuns: 300 },
    );
  });

  test('finds colluders whose errors cancel, whenever the sum of all fails', () => {
    const errorOf = fc.constantFrom<number>(0, 0, 0, 0, 1, -1, 2, -2, 3, -3);
    fc.assert(
      fc.property(fc.array(errorOf, { minLength: 1, maxLength: 64 }), (errors) => {
        fc.pre(errors.reduce((sum, error) => sum + error, 0) !== 0);
        judge(errors);
      }),
      { numRuns: 2000 },
    );
  });

  test('finds colluders wherever they sit: pairs that cancel in every half', () => {
    for (let first = 0; first < 16; first++) {
      for (let second = 0; second < 16; second++) {
        for (let third = 0; third < 16; third++) {
          if (new Set([first, second, third]).size < 3) continue;
          const errors = range(16).map(() => 0);
          errors[first] = 5;
          errors[second] = -5;
          errors[third] = 1;
          judge(errors);
        }
      }
    }
  });

  test('verifies nothing for a single member', () => {
    expect(judge([1])).toBe(0);
  });

  test('takes one check per bit for one offender, and one to clear the others', () => {
    const counts = range(64).map((bad) => judge(range(64).map((member) => (member === bad ? 1 : 0))));
    expect(Math.max(...counts)).toBeLessThanOrEqual(8);
  });

  test.each([
    [100, 1, 1.5],
    [100, 3, 1.35],
    [100, 10, 1.3],
    [100, 33, 1.4],
    [67, 22, 1.3],
  ])('takes fewer checks than naive bisection: %i members, %i bad, at least %f times', (size, bad, ratio) => {
    let naive = 0;
    let ours = 0;
    for (let seed = 0; seed < 100; seed++) {
      const [order] = fc.sample(fc.shuffledSubarray(range(size), { minLength: bad, maxLength: bad }), {
        seed,
        numRuns: 1,
      });
      const chosen = new Set(order);
      const errors = range(size).map((member) => (chosen.has(member) ? 1 : 0));
      naive += naiveChecks(errors);
      ours += 1 + judge(errors);
    }
    expect(naive / ours).toBeGreaterThan(ratio);
  });
});
