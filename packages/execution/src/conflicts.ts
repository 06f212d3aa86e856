/**
 * Conflicts: how much of a block could run in parallel.
 *
 * Transactions conflict when they declare a common key. `level` is the longest chain of conflicts that ends in a transaction, which
 * limits any number of cores.
 */
import type { StateKey } from './state-keys.ts';

export interface ConflictStats {
  /** Share of transactions without a conflict; 1 for an empty block. */
  readonly conflictFreeShare: number;
  readonly longestConflictChain: number;
  /** Transactions without a conflict before them in the block: they need not wait for another. */
  readonly executableAtOnce: number;
}

export interface ConflictCounter {
  /** Adds the declared keys of the next transaction, in block order. */
  add(keys: readonly StateKey[]): void;
  stats(): ConflictStats;
}

interface Use {
  level: number;
  /** The last transaction that used the key. */
  user: number;
}

export function createConflictCounter(): ConflictCounter {
  const uses = new Map<string, Use>();
  const free: boolean[] = [];
  let longest = 0;
  let executableAtOnce = 0;

  function useOf({ text }: StateKey, self: number): Use {
    const known = uses.get(text);
    if (known !== undefined) return known;
    const made = { level: 0, user: self };
    uses.set(text, made);
    return made;
  }

  function add(keys: readonly StateKey[]): void {
    const self = free.push(true) - 1;
    let level = 1;
    const own = keys.map((key) => useOf(key, self));
    for (const use of own) {
      if (use.user === self) continue;
      level = Math.max(level, use.level + 1);
      free[self] = false;
      free[use.user] = false;
    }
    for (const use of own) {
      use.level = level;
      use.user = self;
    }
    longest = Math.max(longest, level);
    if (level === 1) executableAtOnce += 1;
  }

  return {
    add,
    stats: () => ({
      conflictFreeShare: free.length === 0 ? 1 : free.filter(Boolean).length / free.length,
      longestConflictChain: longest,
      executableAtOnce,
    }),
  };
}
