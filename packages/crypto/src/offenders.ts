/**
 * Bisection: finds the bad signatures of a quorum whose sum is bad.
 *
 * This is group testing: a test costs one pairing check, whatever the group's size. Two kinds:
 *
 * - the plain sum: cheap. A false sum PROVES a bad member; a false sum with a true part proves one in the rest. A true sum proves only a
 *   single member, because colluders' errors can cancel.
 * - the blinded sum, with new random coefficients: several times as costly. A true one proves every member valid (except for 2^-64).
 *
 * The first offender is searched with plain sums, because most attacks have one; members of passing parts are only PRESUMED good. After it
 * every test is blinded, and the presumed join the last test. So every verdict is proven, and no honest signer is among the offenders.
 *
 *   all (known bad) --plain halves--> first offender
 *        set aside, presumed --one blinded test--> all valid, or contaminated --blinded groups--> next offender ...
 *
 * The first part of a contaminated run is tested. Bad: it becomes the run, and the rest unknown. Good: the rest becomes the run. This takes
 * two thirds of the checks of naive bisection (bench `quorum`). Per-signature coefficients, or an index-weighted sum with a discrete
 * logarithm, cost more with this binding.
 */
import { assert } from '@slipstream/primitives';
import { createOffenderDensity } from './offender-density.ts';

export interface GroupTests {
  /** False proves a bad member; true proves only a single member valid. Without it every group is blinded. */
  sumHolds?(members: readonly number[]): boolean;
  /** True proves every member valid; false a bad one. */
  allValid(members: readonly number[]): boolean;
}

export interface Verdict {
  readonly offenders: readonly number[];
  readonly valid: readonly number[];
}

/** A test of all members must have failed. At most two tests per member, tested for every subset of up to 16. */
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
    const isFirst = offenders.length === 0;
    const plain = isFirst && tests.sumHolds !== undefined;
    assert(!isFirst || contaminated > 0, 'a false sum keeps a bad member among its undecided ones until one is found');
    let size = unknown.length === 0 ? 0 : density.groupSize(contaminated, unknown.length);
    if (contaminated === 0 && size === unknown.length && presumed.length > 0) {
      unknown = unknown.concat(presumed);
      presumed = [];
      size = unknown.length;
    }
    const group = unknown.slice(0, size);
    const passed = (plain || size === 1 ? tests.sumHolds?.(group) : undefined) ?? tests.allValid(group);
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
