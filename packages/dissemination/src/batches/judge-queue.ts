/**
 * Judge queue: which batches the next check takes. What a block needs goes first, then one batch of each payer in turn, so that a payer who
 * sends much delays itself.
 */
import { DISTILLED_CLAIMS_MAX } from '@slipstream/ports';
import type { StoredBatch } from './stored-batch.ts';

interface Queued {
  readonly batch: Pick<StoredBatch, 'rows'>;
  readonly payer: string;
  /** For a block. */
  readonly isNeeded: boolean;
}

interface JudgeQueue<T extends Queued> {
  add(one: T): void;
  /** False: it waits for no payer's turn. */
  remove(one: T): boolean;
  /** To the needed ones, if it waits for its payer's turn. */
  moveUp(one: T): void;
  /** For one check, and out of the queue. */
  take(): readonly T[];
  /** What waits for this payer's turn, out of the queue. */
  drop(payer: string): Iterable<T>;
}

/** Decoded and hashed in one go: about 5 ms. */
const ROWS_AT_ONCE = 16_384;

export function createJudgeQueue<T extends Queued>(): JudgeQueue<T> {
  const needed = new Set<T>();
  /** No set is empty. The first payer is next. */
  const turns = new Map<string, Set<T>>();

  function remove(one: T): boolean {
    const waiting = turns.get(one.payer);
    if (waiting?.delete(one) !== true) return false;
    if (waiting.size === 0) turns.delete(one.payer);
    return true;
  }

  return {
    add(one) {
      if (one.isNeeded) needed.add(one);
      else turns.set(one.payer, (turns.get(one.payer) ?? new Set()).add(one));
    },
    remove,
    moveUp(one) {
      if (remove(one)) needed.add(one);
    },
    take() {
      const taken: T[] = [];
      let rows = 0;
      const isFull = () => taken.length >= DISTILLED_CLAIMS_MAX || rows >= ROWS_AT_ONCE;
      const takeFrom = (waiting: Set<T>) => {
        const [one] = waiting;
        if (one === undefined) return;
        waiting.delete(one);
        taken.push(one);
        rows += one.batch.rows;
      };
      while (needed.size > 0 && !isFull()) takeFrom(needed);
      while (turns.size > 0 && !isFull()) {
        const [payer, waiting] = turns.entries().next().value as [string, Set<T>];
        turns.delete(payer);
        takeFrom(waiting);
        if (waiting.size > 0) turns.set(payer, waiting);
      }
      return taken;
    },
    drop(payer) {
      const waiting = turns.get(payer) ?? [];
      turns.delete(payer);
      return waiting;
    },
  };
}
