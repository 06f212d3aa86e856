/**
 * Attempts of a state sync: they continue while each stages more bytes than all before, which the next one reuses. A few in a row may fail,
 * as each lying peer may spoil one.
 */

/** Without progress. */
const FAILED_IN_A_ROW_MAX = 3;
/** A peer that brings a little each time must not keep the node from syncing by blocks. */
const ATTEMPTS_MAX = 64;

interface Attempts {
  failed(stagedBytes: number): boolean;
}

/** `stagedBytes`: left by an earlier process. */
export function createAttempts(stagedBytes: number): Attempts {
  let most = stagedBytes;
  let inARow = 0;
  let all = 0;
  return {
    failed(bytes) {
      all += 1;
      inARow = bytes > most ? 0 : inARow + 1;
      most = Math.max(most, bytes);
      return inARow < FAILED_IN_A_ROW_MAX && all < ATTEMPTS_MAX;
    },
  };
}
