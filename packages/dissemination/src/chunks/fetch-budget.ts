/**
 * Fetch budget: bounds the memory of chunks requested by id, when a node catches up on blocks of full load.
 *
 *   request --typical size reserved--> arrived, decoded until its signatures are checked --> bytes until its block is committed
 *           \-------------- unverifiedBytesMax ------------------------------------/       \----- fetchedBytesMax -----------/
 *
 * A reservation lapses, because requests for chunks that no peer has must not hold up others. The second bound spares the lowest block that
 * lacks a chunk: higher ones commit after it.
 */
import type { Clock } from '@slipstream/ports';
import type { DisseminationLimits } from '../limits.ts';

export interface FetchBudget {
  /** `isLowest`: for a block without which no other commits. */
  allows(isLowest: boolean): boolean;
  /** Returns its end. */
  begin(): () => void;
  /** `checked` settles when the chunk's decoded transactions are released. */
  arrived(bytes: number, checked: Promise<unknown>): void;
}

interface FetchBudgetParts {
  readonly clock: Pick<Clock, 'after'>;
  /** Of fetched chunks that are not committed. */
  readonly fetchedBytes: () => number;
  readonly onRoom: () => void;
}

type FetchLimits = Pick<DisseminationLimits, 'chunkFetchesMax' | 'unverifiedBytesMax' | 'fetchedBytesMax'>;

const RESERVED_MS = 500;
const FIRST_BYTES = 64 * 1024;
/** Weight of one chunk in the typical size. */
const SHARE = 1 / 8;

export function createFetchBudget({ clock, fetchedBytes, onRoom }: FetchBudgetParts, limits: FetchLimits): FetchBudget {
  let underWay = 0;
  let reserved = 0;
  let unverified = 0;
  let typical = FIRST_BYTES;

  return {
    allows(isLowest) {
      if (underWay >= limits.chunkFetchesMax) return false;
      const decoded = unverified + reserved;
      if (decoded > 0 && decoded + typical > limits.unverifiedBytesMax) return false;
      return isLowest || fetchedBytes() + reserved + typical <= limits.fetchedBytesMax;
    },
    begin() {
      const bytes = typical;
      underWay += 1;
      reserved += bytes;
      let isReserved = true;
      const unreserve = () => {
        if (isReserved) reserved -= bytes;
        isReserved = false;
      };
      const cancel = clock.after(RESERVED_MS, () => {
        unreserve();
        onRoom();
      });
      return () => {
        cancel();
        unreserve();
        underWay -= 1;
      };
    },
    arrived(bytes, checked) {
      typical += (bytes - typical) * SHARE;
      unverified += bytes;
      const release = () => {
        unverified -= bytes;
        onRoom();
      };
      checked.then(release, release);
    },
  };
}
