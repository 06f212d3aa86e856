/** What a chain's state knows of a session: whose it is, what it may do, what it has done. */
import type { AccountKey } from '../account.ts';

export interface SessionRecord {
  /** Who may revoke it here: the anchor on the issuing chain, elsewhere the account that it acts for. */
  readonly owner: AccountKey;
  /** Who it acts for on the target chain. */
  readonly account: AccountKey;
  /** Ed25519. */
  readonly sessionKey: Uint8Array;
  /** Bits of scope.ts. */
  readonly scope: number;
  /** What may leave the account in all, fees included; and what has. */
  readonly limit: bigint;
  readonly spent: bigint;
  readonly expiryMs: number;
  readonly revoked: boolean;
  /** The target chain is this one. */
  readonly actsHere: boolean;
  /** Of the transaction that made the record: on the issuing chain, the grant's. */
  readonly transactionId: Uint8Array;
}
