/**
 * Shares that did not come in time.
 *
 *   time is over --few rows without a share--> the batch is concluded, and each missing share is a fault (Q8)
 *                \--most of a large batch--> one longer wait, seldom enough --> concluded
 *                \--most of it, or of many streams--> a stream that answers later has no fault
 *
 * When most of a large batch, or of many streams, has no share in time, a slow machine or network is likelier than a client that withholds. To make stragglers of
 * its rows costs every node a signature check a row, so that a short pause would become an overload.
 */
import type { Clock } from '@slipstream/ports';
import { createTokenBucket } from '@slipstream/primitives';
import type { Session } from './components.ts';
import { LATE_BATCHES_MAX, LATE_ROWS_MIN, LATE_STREAMS_MIN, LATE_WAITS } from './limits.ts';
import type { OpenBatch } from './open-batch.ts';
import type { Penalties } from './penalties.ts';

export interface LateBatch {
  readonly open: OpenBatch;
  /** Streams without a share. */
  readonly waiting: Set<Session>;
  /** Most of its rows, or of its streams, had no share in time. */
  isLate: boolean;
}

interface LateShares<T extends LateBatch> {
  /** Takes one of few longer waits. */
  mayWait(one: T): boolean;
  /** Its time is over. */
  add(one: T): void;
  find(name: string): T | undefined;
  left(session: Session): void;
}

export function createLateShares<T extends LateBatch>({
  clock,
  penalties,
}: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly penalties: Pick<Penalties, 'shareFault'>;
}): LateShares<T> {
  const batches = new Map<string, T>();
  const waits = createTokenBucket(clock, LATE_WAITS);

  /** Of a stream that never answered, or left before. */
  function blame({ open, isLate }: T, session: Session): void {
    if (!isLate) return;
    for (const sender of open.asked.get(session) ?? []) penalties.shareFault(sender);
  }

  return {
    mayWait: (one) => areMostRowsLate(one) && waits.take(),
    add(one) {
      if (one.waiting.size === 0) return;
      batches.set(one.open.name, one);
      if (batches.size <= LATE_BATCHES_MAX) return;
      const [oldest] = batches.values();
      batches.delete((oldest as T).open.name);
      for (const session of (oldest as T).waiting) blame(oldest as T, session);
    },
    find: (name) => batches.get(name),
    left(session) {
      for (const one of batches.values()) if (one.waiting.delete(session)) blame(one, session);
    },
  };
}

/** Half of its rows, and not few. */
function areMostRowsLate({ open, waiting }: LateBatch): boolean {
  let late = 0;
  for (const session of waiting) late += open.positions.get(session)?.length ?? 0;
  return late >= LATE_ROWS_MIN && 2 * late >= open.entries.length;
}

/** Half of those asked, and not few. */
function areMostStreamsLate({ open, waiting }: LateBatch): boolean {
  return waiting.size >= LATE_STREAMS_MIN && 2 * waiting.size >= open.asked.size;
}

/** The node or its network is slow. */
export function areMostLate(one: LateBatch): boolean {
  return areMostRowsLate(one) || areMostStreamsLate(one);
}
