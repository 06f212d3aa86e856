/**
 * Urgent reserve: the sum of maxFees and the number of a sender's urgent transactions in the pool.
 *
 * Execution reserves one maxFee at a time and skips, without a fee, what the balance does not cover. So a thousand urgent transactions
 * could rest on the same money. Here a transaction is urgent only if the balance covers it beside the urgent ones before it.
 */
import type { DisseminationLimits } from '../limits.ts';
import type { PoolTransaction } from './pool-transaction.ts';

interface UrgentReserve {
  /** Whether one more may be urgent. `balance`: the sender's; undefined: not looked up. */
  hasRoom(sender: string, maxFee: bigint, balance: bigint | undefined): boolean;
  /** An urgent transaction entered the pool, or left it. */
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
    hasRoom(sender, maxFee, balance) {
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
