/**
 * Urgent reserve: what the urgent transactions of a sender that wait here reserve together, and how many they are.
 *
 * Execution reserves one maxFee at a time, and skips what the balance does not cover, for nothing. So each of a thousand urgent ones
 * could stand on the same money, and the first to be executed could take it away. Here one is urgent only where the balance covers
 * it beside those before it: urgent places cost as much money at a time as they claim to.
 */
import type { DisseminationLimits } from '../limits.ts';
import type { PoolTransaction } from './pool-transaction.ts';

export interface UrgentReserve {
  /** Whether one more may be urgent. `balance`: what the sender has; undefined: nobody looked. */
  hasRoom(sender: string, maxFee: bigint, balance: bigint | undefined): boolean;
  /** An urgent one waits, or no longer. */
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
