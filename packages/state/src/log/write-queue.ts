/**
 * Queues disk steps: one at a time on the logs, one on the journal, none after a failure or closing.
 *
 * A commit record does not wait for the next batch's slower append: the files differ, so a crash during both is no new case. Other steps
 * use both queues.
 */
import { StateError } from '../errors.ts';

/** Runs disk work whose failure leaves the disk uncertain. */
type ToDisk = (work: () => Promise<void>) => Promise<void>;

export type Files = 'logs' | 'journal';

const BOTH = ['logs', 'journal'] as const satisfies readonly Files[];

export interface WriteQueue {
  /** Runs a step that may change those files, after all earlier ones on them. Throws StateError `broken` or `closed`. */
  change(files: readonly Files[], step: (toDisk: ToDisk) => Promise<void>): Promise<void>;
  /** Runs a step that only reads. */
  step<T>(step: () => Promise<T>): Promise<T>;
  /** Runs the last step, once. */
  close(step: () => Promise<void>): Promise<void>;
}

export function createWriteQueue(directory: string): WriteQueue {
  const last: Record<Files, Promise<unknown>> = { logs: Promise.resolve(), journal: Promise.resolve() };
  let failure: unknown;
  let closing: Promise<void> | undefined;

  function enqueue<T>(files: readonly Files[], step: () => Promise<T>): Promise<T> {
    const done = Promise.all(files.map((each) => last[each])).then(step);
    const over = done.catch(() => {});
    for (const each of files) last[each] = over;
    return done;
  }

  function checkUsable(): void {
    if (failure !== undefined) {
      const message = `an earlier write to ${directory} failed: close the state store and open it again`;
      throw new StateError('broken', message, { directory }, failure);
    }
  }

  async function toDisk(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  async function step<T>(files: readonly Files[], work: () => Promise<T>): Promise<T> {
    if (closing !== undefined)
      throw new StateError('closed', `the state store in ${directory} is closed`, { directory });
    return enqueue(files, work);
  }

  return {
    step: (work) => step(BOTH, work),
    change: (files, work) =>
      step(files, async () => {
        checkUsable();
        await work(toDisk);
      }),
    close(work) {
      closing ??= enqueue(BOTH, work);
      return closing;
    },
  };
}
