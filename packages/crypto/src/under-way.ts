/**
 * Checks under way: a caller joins a running check of the same thing, unless it would have to wait longer.
 *
 *   wanted --under way, and as urgent?--> its answer --failed in another lane?--> restarted
 *             \--no--> a check of its own, which later callers join
 *
 * A check waits in the lane of its first caller. A block must not wait in the clients' lane because a client came first, nor fail because
 * that lane is full. So each thing is checked at most once per lane at a time.
 */
import { isAsUrgent, type Priority } from '@slipstream/ports';

interface UnderWay<Answer> {
  /** The answer of a check that is as urgent; undefined when there is none. `restart` runs when that check fails in another lane. */
  join(name: string, priority: Priority, restart: () => Answer | Promise<Answer>): Promise<Answer> | undefined;
  /** Later callers join this check. */
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
