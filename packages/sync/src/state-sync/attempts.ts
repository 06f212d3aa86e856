/**
 * How often a state sync is tried: on and on while each attempt leaves more of the state here than all before, since what a snapshot
 * that went away left is gone on with; and a few times in vain, since each liar may spoil one.
 */

/** In a row that brought nothing more. */
const VAIN_MAX = 3;
/** In all: a peer that brings a little each time does not keep a node from catching up block by block. */
const ATTEMPTS_MAX = 64;

export interface Attempts {
  /** After a failed attempt, with the bytes that are staged then: whether to try once more. */
  failed(stagedBytes: number): boolean;
}

/** `stagedBytes`: what a process before this one left. */
export function createAttempts(stagedBytes: number): Attempts {
  let most = stagedBytes;
  let vain = 0;
  let all = 0;
  return {
    failed(bytes) {
      all += 1;
      vain = bytes > most ? 0 : vain + 1;
      most = Math.max(most, bytes);
      return vain < VAIN_MAX && all < ATTEMPTS_MAX;
    },
  };
}
