/** Rows on their way, from intake until their outcome or until they are dropped, and the accounts that they are of. */
import type { Row, Straggler } from '@slipstream/distilled';
import type { AccountState, Session } from './components.ts';

export interface BrokerAccount {
  readonly index: number;
  /** The newest whose login names it. */
  session: Session | undefined;
  state: AccountState | undefined;
  /** Monotonic; undefined: to be read. */
  readAtMs: number | undefined;
  /** By sequence. */
  readonly inFlight: Map<number, RowEntry>;
  /** Amounts and fees of those in flight whose state was read. */
  reserved: bigint;
}

export interface RowEntry {
  readonly session: Session;
  readonly account: BrokerAccount;
  readonly row: Row;
  /** Its own signature, unverified unless `isVerified`. */
  readonly straggler: Omit<Straggler, 'position'> | undefined;
  /** The client signs no header that expires later, or has a higher cap. */
  readonly expiryMs: number;
  readonly feeCap: bigint;
  /** Amount and fee. */
  readonly cost: bigint;
  /** `cost` is reserved of its sender's balance. */
  isCharged: boolean;
  /** Its own signature holds. */
  isVerified: boolean;
  /** It needs no share: its own signature stands for it. */
  isAlone: boolean;
  /** Batches that were lost. */
  losses: number;
  /** Its client has its outcome, or has it back, or only an older batch may still run it: it goes into no further one. */
  isDone: boolean;
}

/** Which of two rows stands first in a batch. */
export function compareRows({ row: a }: RowEntry, { row: b }: RowEntry): number {
  return a.sender - b.sender || a.sequence - b.sequence;
}
