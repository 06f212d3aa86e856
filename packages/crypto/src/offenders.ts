/**
 * Bisection: finds the bad signatures of a quorum whose sum is bad.
 *
 * This is group testing: a test of a group costs one pairing check, whatever its size. Two kinds of test:
 *
 * - the plain sum: cheap. Errors add up, so a false sum PROVES a bad member, and a false sum with a true part proves one in the rest
 *   (without a check). A true sum of several proves nothing about its members, because colluders' errors can cancel. A true sum of a
 *   single member proves it.
 * - the blinded sum: with new random coefficients for each test. A true one proves every member valid (except for 2^-64). It costs several
 *   times a plain sum for a large quorum.
 *
 * The first offender is searched with plain sums, because most attacks have one; members of passing parts are only PRESUMED good. After it
 * every test is blinded, and the presumed members join the last test. Every offender is proven by failing alone or by inference, every
 * valid member by a blinded test or alone. So no honest signer can be among the offenders.
 *
 *   all (known bad) --plain halves--> first offender
 *        set aside, presumed --one blinded test--> all valid, or contaminated --blinded groups--> next offender ...
 *
 * Of a contaminated run the first part is tested. Bad: that part becomes the run, and the rest becomes unknown. Good: the rest becomes the
 * run. This takes about two thirds of the checks of naive bisection, which checks both halves (bench `quorum`).
 *
 * Two alternatives cost more with this binding: multiplying each signature by its coefficient once, and locating one offender by an
 * index-weighted sum and a discrete logarithm.
 */
import { assert } from '@slipstream/primitives';
import { createOffenderDensity } from './offender-density.ts';

export interface GroupTests {
  /** False proves a bad member. True proves a single member valid; it proves nothing about several. */
  sumHolds(members: readonly number[]): boolean;
  /** True proves every member valid; false proves a bad one. */
  allValid(members: readonly number[]): boolean;
}

export interface Verdict {
  readonly offenders: readonly number[];
  /** All the others, each proven. */
  readonly valid: readonly number[];
}

/** The plain sum of the members must have failed. Takes at most two tests per member, which tests show for every subset of up to 16. */
export function findOffenders(members: readonly number[], tests: GroupTests): Verdict {
  const density = createOffenderDensity(members.length);
  const offenders: number[] = [];
  const valid: number[] = [];
  /** Undecided; the contaminated run first. */
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
