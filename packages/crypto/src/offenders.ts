/**
 * Bisection: which signatures of a quorum are bad, when their sum is.
 *
 * The question is group testing: a test of a group costs one pairing check, whatever its size. Two kinds of test:
 *
 * - the plain sum: cheap. Errors add up, so a false sum PROVES a bad member, and a false sum with a true part proves one
 *   in the rest (the sibling is inferred, not checked). A true sum proves nothing about its members: errors of colluders
 *   can cancel in it. Of a single member it proves everything.
 * - the blinded sum: random coefficients, drawn anew for each test. A true one proves every member valid (but for 2^-64).
 *   Drawing and multiplying costs 65 us a member (through the binding, with its group check): for a quorum of 67 as much
 *   as five plain sums.
 *
 * So: the first offender is looked for with plain sums (an attack mostly has one), whose passing parts are only PRESUMED
 * good; from then on every test is blinded, and the presumed ones ride in the last of them. Every offender is proven by
 * failing alone or by inference, every valid one by a blinded test or alone. No honest signer can be among the offenders.
 *
 *   all (known bad) --plain halves--> first offender
 *        set aside, presumed --one blinded test--> all valid, or contaminated --blinded groups--> next offender ...
 *
 * Within a contaminated run the first part is tested: bad: the run is that part, the rest is set aside as unknown; good: the
 * run is the rest. Naive bisection checks both halves and never sets aside. For one offender of 100 this takes 8 checks after
 * the first instead of 13, for 33 of 100 it takes 100 instead of 146 (bench `quorum`).
 *
 * What was measured and left: multiplying each signature by its coefficient once, to add them up differently in each test,
 * costs 300 us a member through the binding (the call is made for many), four times what drawing anew costs in all; and
 * locating one offender by an index-weighted sum and a discrete logarithm needs pairing VALUES, which only pure JavaScript
 * gives here: 25 ms a product, where eight checks take 8 ms.
 */
import { assert } from '@slipstream/primitives';
import { createOffenderDensity } from './offender-density.ts';

export interface GroupTests {
  /** False proves that a member is bad. True proves that a single member is valid, and of several nothing. */
  sumHolds(members: readonly number[]): boolean;
  /** True proves that every member is valid; false that one is not. */
  allValid(members: readonly number[]): boolean;
}

export interface Verdict {
  readonly offenders: readonly number[];
  /** All the others, each proven. */
  readonly valid: readonly number[];
}

/**
 * Sorts out members whose plain sum has been seen to fail (so that at least one is bad). Never more than two tests a member
 * (seen in every subset of up to 16), where naive bisection takes two a member whenever every other one is bad.
 */
export function findOffenders(members: readonly number[], tests: GroupTests): Verdict {
  const density = createOffenderDensity(members.length);
  const offenders: number[] = [];
  const valid: number[] = [];
  /** Not decided, the contaminated run first. */
  let unknown = members.slice();
  let contaminated = unknown.length;
  /** Passed a plain sum of several. */
  let presumed: number[] = [];

  while (unknown.length > 0 || presumed.length > 0) {
    if (contaminated === 1) {
      offenders.push(unknown.shift() as number);
      contaminated = 0;
      continue;
    }
    const plain = offenders.length === 0;
    assert(!plain || contaminated > 0, 'a false sum keeps a bad member among its undecided ones until one is found');
    let size = unknown.length === 0 ? 0 : density.groupSize(contaminated, unknown.length);
    if (contaminated === 0 && size === unknown.length && presumed.length > 0) {
      unknown = unknown.concat(presumed);
      presumed = [];
      size = unknown.length;
    }
    const group = unknown.slice(0, size);
    const passed = plain || size === 1 ? tests.sumHolds(group) : tests.allValid(group);
    density.learn(size, contaminated, passed);
    if (!passed) {
      contaminated = size;
      continue;
    }
    unknown = unknown.slice(size);
    contaminated = Math.max(0, contaminated - size);
    (plain && size > 1 ? presumed : valid).push(...group);
  }
  return { offenders, valid };
}
