/**
 * Checks under way: a caller joins a running check of the same thing, unless that waits longer.
 *
 *   wanted --under way, and as urgent?--> its answer --failed in another lane?--> restarted
 *             \--no--> a check of its own, which later callers join
 *
 * A check waits in its first caller's lane. A block must not wait in the clients' lane, nor fail because that is full. So each thing is
 * checked at most once per lane at a time.
 */
import { isAsUrgent, type Priority } from '@slipstream/ports';

interface UnderWay<Answer> {
  /** Undefined: no check as urgent. `restart` runs when it fails in another lane. */
  join(name: string, priority: Priority, restart: () => Answer | Promise<Answer>): Promise<Answer> | undefined;
  start<Own extends Answer>(name: string, priority: Priority, check: () => Promise<Own>): Promise<Own>;
}

interface Check<Answer> {
  readonly priority: Priority;
  readonly answer: Promise<Answer>;
}

export function createUnderWay<Answer>(): UnderWay<Answer> {
  /** Bounded by the verifier's queues. */
  const checks = new Map<string, Check<Answer>>();

  return {
    join(name, priority, restart) {
      const found = checks.get(name);
      if (found === undefined || !isAsUrgent(found.priority, priority)) return undefined;
      return found.priority === priority ? found.answer : found.answer.catch(restart);
    },
    start(name, priority, check) {
      const answer = check().finally(() => {
        if (checks.get(name)?.answer === answer) checks.delete(name);
      });
      checks.set(name, { priority, answer });
      return answer;
    },
  };
}
