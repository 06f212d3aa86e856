/** A lane: one piece of work at a time on a resource, the most urgent first. */

export interface Lane {
  /** Lower urgency goes first, equal ones in order of arrival. The work reports its failures. */
  push(urgency: number, work: () => Promise<void>): void;
  readonly waiting: number;
  /** Resolves once nothing runs or waits. */
  idle(): Promise<void>;
}

export function createLane(): Lane {
  const queue: { readonly urgency: number; readonly work: () => Promise<void> }[] = [];
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next.work();
    running = undefined;
  }

  return {
    push(urgency, work) {
      const at = queue.findIndex((other) => other.urgency > urgency);
      queue.splice(at < 0 ? queue.length : at, 0, { urgency, work });
      // Deferred, so that work never runs inside a caller's step.
      running ??= Promise.resolve().then(drain);
    },
    get waiting() {
      return queue.length;
    },
    idle: async () => {
      while (running !== undefined) await running;
    },
  };
}
