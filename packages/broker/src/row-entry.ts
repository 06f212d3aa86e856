/** A row on its way: from intake until its outcome, or until it is dropped. */
import type { Row, Straggler } from '@slipstream/distilled';
import type { BrokerAccount } from './account-table.ts';
import type { Session } from './components.ts';

export interface RowEntry {
  readonly session: Session;
  readonly account: BrokerAccount;
  readonly row: Row;
  /** Its own signature, unverified unless `isAlone`. */
  readonly straggler: Omit<Straggler, 'position'> | undefined;
  /** The client signs no header that expires later, or has a higher cap. */
  readonly expiryMs: number;
  readonly feeCap: bigint;
  /** Amount and fee. */
  readonly cost: bigint;
  /** `cost` is reserved of its sender's balance. */
  isCharged: boolean;
  /** It needs no share: its own signature holds. */
  isAlone: boolean;
  /** Batches that were lost. */
  losses: number;
  /** Its client has its outcome, or has it back. */
  isDone: boolean;
}

/** Which of two rows stands first in a batch. */
export function compareRows({ row: a }: RowEntry, { row: b }: RowEntry): number {
  return a.sender - b.sender || a.sequence - b.sequence;
}
