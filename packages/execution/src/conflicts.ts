/**
 * Conflicts: how much of a block could run in parallel.
 *
 * Transactions conflict when they declare a common key. `level` is the longest chain of conflicts that ends in a transaction, which
 * limits any number of cores.
 */
export interface ConflictStats {
  /** Share of transactions without a conflict; 1 for an empty block. */
  readonly conflictFreeShare: number;
  readonly longestConflictChain: number;
  /** Transactions without a conflict before them in the block: they need not wait for another. */
  readonly executableAtOnce: number;
}

export interface ConflictCounter {
  /** Adds the declared keys of the next transaction, in block order, by number. */
  add(keys: readonly number[]): void;
  stats(): ConflictStats;
}

const NO_USER = -1;

export function createConflictCounter(): ConflictCounter {
  /** By number of a key: the level, and the last transaction that used it. */
  const levels: number[] = [];
  const users: number[] = [];
  const free: boolean[] = [];
  let longest = 0;
  let executableAtOnce = 0;

  function add(keys: readonly number[]): void {
    const self = free.push(true) - 1;
    let level = 1;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as number;
      extendTo(key);
      const user = users[key] as number;
      if (user === NO_USER || user === self) continue;
      level = Math.max(level, (levels[key] as number) + 1);
      free[self] = false;
      free[user] = false;
    }
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as number;
      levels[key] = level;
      users[key] = self;
    }
    longest = Math.max(longest, level);
    if (level === 1) executableAtOnce += 1;
  }

  function extendTo(key: number): void {
    while (levels.length <= key) {
      levels.push(0);
      users.push(NO_USER);
    }
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
