/**
 * Urgent reserve: sum of maxFees and number of each sender's urgent transactions in the pool.
 *
 * Execution reserves one maxFee at a time and skips uncovered transactions for free, so a thousand urgent ones could rest on the same
 * money. Here a transaction is urgent only if the balance covers it beside those before.
 */
import type { DisseminationLimits } from '../limits.ts';
import type { PoolTransaction } from './pool-transaction.ts';

interface UrgentReserve {
  /** `balance`: the sender's; undefined: not looked up. */
  hasCapacity(sender: string, maxFee: bigint, balance: bigint | undefined): boolean;
  add(entry: PoolTransaction): void;
  remove(entry: PoolTransaction): void;
}

interface Reserved {
  readonly count: number;
  readonly maxFees: bigint;
}

const NOTHING: Reserved = { count: 0, maxFees: 0n };

export function createUrgentReserve({ senderUrgentMax }: Pick<DisseminationLimits, 'senderUrgentMax'>): UrgentReserve {
  const bySender = new Map<string, Reserved>();

  return {
    hasCapacity(sender, maxFee, balance) {
      const { count, maxFees } = bySender.get(sender) ?? NOTHING;
      return count < senderUrgentMax && (balance === undefined || maxFees + maxFee <= balance);
    },
    add({ sender, maxFee }) {
      const { count, maxFees } = bySender.get(sender) ?? NOTHING;
      bySender.set(sender, { count: count + 1, maxFees: maxFees + maxFee });
    },
    remove({ sender, maxFee }) {
      const { count, maxFees } = bySender.get(sender) ?? NOTHING;
      if (count > 1) bySender.set(sender, { count: count - 1, maxFees: maxFees - maxFee });
      else bySender.delete(sender);
    },
  };
}
