/**
 * Reads of accounts' states, one at a time: what is asked for meanwhile goes into the next one.
 *
 *   message --accounts--> next read --after the one under way--> states of all that asked
 *
 * A read crosses two threads. Clients with a socket each send a row a message, so that a read for each message costs a row more than all
 * else does.
 */
import type { AccountState, BrokerComponents } from './components.ts';

/** The states, by index. Rejects when they cannot be read now. Bounded by the rows in flight. */
type ReadTogether = (indices: readonly number[]) => Promise<ReadonlyMap<number, AccountState | undefined>>;

export function createReadTogether(read: BrokerComponents['accounts']): ReadTogether {
  let wanted = new Set<number>();
  let next: ReturnType<ReadTogether> | undefined;
  let underWay: Promise<unknown> = Promise.resolve();

  async function readWanted(): ReturnType<ReadTogether> {
    const indices = Uint32Array.from(wanted).sort();
    wanted = new Set();
    next = undefined;
    const states = await read(indices);
    return new Map([...indices].map((index, i) => [index, states[i]]));
  }

  return (indices) => {
    for (const index of indices) wanted.add(index);
    if (next === undefined) {
      next = underWay.then(readWanted);
      underWay = next.catch(() => {});
    }
    return next;
  };
}
