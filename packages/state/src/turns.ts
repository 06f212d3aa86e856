/** One step at a time on the disk, none after a failure, none after closing. */
import { StateError } from './errors.ts';

/** Does disk work whose failure leaves the disk uncertain. */
export type ToDisk = (work: () => Promise<void>) => Promise<void>;

export interface Turns {
  /** Runs a step that may change the disk, after all earlier ones. Throws StateError `broken` or `closed`. */
  change(step: (toDisk: ToDisk) => Promise<void>): Promise<void>;
  /** Runs a step that only reads. */
  step<T>(step: () => Promise<T>): Promise<T>;
  /** Runs the last step, once. */
  close(step: () => Promise<void>): Promise<void>;
}

export function createTurns(directory: string): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let failure: unknown;
  let closing: Promise<void> | undefined;

  function enqueue<T>(step: () => Promise<T>): Promise<T> {
    const done = last.then(step, step);
    last = done.catch(() => {});
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

  async function step<T>(work: () => Promise<T>): Promise<T> {
    if (closing !== undefined)
      throw new StateError('closed', `the state store in ${directory} is closed`, { directory });
    return enqueue(work);
  }

  return {
    step,
    change: (work) =>
      step(async () => {
        checkUsable();
        await work(toDisk);
      }),
    close(work) {
      closing ??= enqueue(work);
      return closing;
    },
  };
}
