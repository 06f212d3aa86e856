/**
 * Number of attempts of a state sync. Attempts continue while each stages more bytes than all before, because an attempt continues
 * what an expired snapshot left. A few in a row may fail without progress, because each lying peer may spoil one.
 */

/** Attempts in a row without progress. */
const FAILED_IN_A_ROW_MAX = 3;
/** In all: a peer that brings a little each time must not keep the node from catching up by blocks. */
const ATTEMPTS_MAX = 64;

interface Attempts {
  /** Whether to try again after a failed attempt that left `stagedBytes`. */
  failed(stagedBytes: number): boolean;
}

/** `stagedBytes`: what an earlier process left. */
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
