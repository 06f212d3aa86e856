/**
 * Checks under way: who wants to know what is being checked already waits for that answer, unless that would be to wait longer.
 *
 *   wanted --under way, and as urgent?--> its answer --failed in another lane?--> wanted anew
 *             \--no--> a check of its own, which later ones wait for
 *
 * A check waits in the lane of whoever asked first. A block must not stand behind the clients' lane because a client was first, nor
 * fail because that lane is full: so one thing is checked at most once a lane at a time.
 */
import { isAsUrgent, type Priority } from '@slipstream/ports';

export interface UnderWay<Answer> {
  /** The answer to one that is as urgent; undefined when there is none. `anew` is asked when it fails in a lane of others. */
  join(name: string, priority: Priority, restart: () => Answer | Promise<Answer>): Promise<Answer> | undefined;
  /** From now on later ones join this one. */
  start<Own extends Answer>(name: string, priority: Priority, check: () => Promise<Own>): Promise<Own>;
}

interface Check<Answer> {
  readonly priority: Priority;
  readonly answer: Promise<Answer>;
}

export function createUnderWay<Answer>(): UnderWay<Answer> {
  /** As many as the verifier's queues take. */
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
