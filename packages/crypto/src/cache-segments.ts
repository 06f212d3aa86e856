/**
 * Two segments of a cache's entries, with second chances.
 *
 *   enter --> probation --oldest, unused--> evicted      protected --oldest, unused--> probation
 *                 \--oldest, used--> protected              \--oldest, used--> protected, newest
 *
 * A use only marks its entry: one access to memory. Marks are judged when a new entry needs a place.
 */
import { createIndexLists, LINK_WORDS, type LinkPlace } from './index-lists.ts';

interface CacheSegments {
  /** On probation, unused. */
  enter(at: number): void;
  use(at: number): void;
  leave(at: number): void;
  /** To be evicted. The cache must be full. */
  oldestUnused(): number;
}

/** The rest is reserved for new entries. */
const PROTECTED_SHARE = 0.8;
/** Used entries that one call passes over, so that its time is bounded; the next goes although it was used. */
const PASSED_MAX = 256;

const PROBATION = 0;
const PROTECTED = 1;
export const SEGMENTS = 2;

/** In a state: the segment above it. */
const USED = 1;
const STATE = 0;
const LINKS = 1;
/** Of each entry. */
export const SEGMENT_WORDS = LINKS + LINK_WORDS;

/** The memory must fit entriesMax + SEGMENTS. */
export function createCacheSegments(entriesMax: number, { memory, stride, offset }: LinkPlace): CacheSegments {
  const protectedMax = Math.floor(entriesMax * PROTECTED_SHARE);
  const lists = createIndexLists(entriesMax, SEGMENTS, { memory, stride, offset: offset + LINKS });
  const state = offset + STATE;
  let protectedSize = 0;
  let passed = 0;

  function put(at: number, segment: number): void {
    lists.pushFront(segment, at);
    memory[at * stride + state] = segment << 1;
  }

  /** Its former use no longer counts. */
  function move(at: number, segment: number): void {
    lists.remove(at);
    put(at, segment);
  }

  function isPassed(at: number): boolean {
    return ((memory[at * stride + state] as number) & USED) !== 0 && passed++ < PASSED_MAX;
  }

  function demoteOne(): void {
    let at = lists.last(PROTECTED) as number;
    while (isPassed(at)) {
      move(at, PROTECTED);
      at = lists.last(PROTECTED) as number;
    }
    move(at, PROBATION);
    protectedSize--;
  }

  return {
    enter: (at) => put(at, PROBATION),
    use(at) {
      memory[at * stride + state] = (memory[at * stride + state] as number) | USED;
    },
    leave(at) {
      lists.remove(at);
      if ((memory[at * stride + state] as number) >> 1 === PROTECTED) protectedSize--;
    },
    /** INVARIANT: of a full cache some entries are on probation, as the protected ones have a maximum. */
    oldestUnused() {
      passed = 0;
      let at = lists.last(PROBATION) as number;
      while (isPassed(at)) {
        move(at, PROTECTED);
        if (++protectedSize > protectedMax) demoteOne();
        at = lists.last(PROBATION) as number;
      }
      return at;
    },
  };
}
