/**
 * Sequences of one sender: each is used once, and all in flight stay within the 64 that may run in any order (Z8).
 *
 *   taken: lowest ... highest < lowest + 64; the next one waits until the lowest has ended
 */
import { ACCOUNT_ROWS_MAX } from '@slipstream/distilled/stream';
import { ClientError } from '../errors.ts';

const SEQUENCE_MAX = 2 ** 32 - 1;
/** Above what this client knows. A false broker could use up a sender's sequences by naming a high one; a true one names what others of its rows reached. */
const JUMP_MAX = 1_024;

export interface Sequences {
  /** Undefined: too many are in flight. Throws ClientError `bad-argument` when all are used. */
  take(): number | undefined;
  /** Its row ended. */
  release(sequence: number): void;
  /** What a broker says is the next one: taken if higher, up to a bound once this client knows better. */
  raiseTo(next: number): void;
}

/** `next`: undefined until a broker names it. */
export function createSequences(next?: number): Sequences {
  const taken = new Set<number>();
  let known = next;
  return {
    take() {
      if (known === undefined) return undefined;
      if (known > SEQUENCE_MAX) {
        throw new ClientError('bad-argument', 'the index has used all its sequences: register its account again');
      }
      // Taken in ascending order, so the first of the set is the lowest.
      const lowest = taken.values().next().value ?? known;
      if (known >= lowest + ACCOUNT_ROWS_MAX) return undefined;
      taken.add(known);
      return known++;
    },
    release(sequence) {
      taken.delete(sequence);
    },
    raiseTo(named) {
      if (named === 0) return;
      known = known === undefined ? named : Math.max(known, Math.min(named, known + JUMP_MAX));
    },
  };
}
