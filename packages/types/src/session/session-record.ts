/** A session in a chain's state. */
import type { AccountKey } from '../account.ts';

export interface SessionRecord {
  /** May revoke the session here: the anchor on the issuing chain; elsewhere the account. */
  readonly owner: AccountKey;
  /** The account on the target chain. */
  readonly account: AccountKey;
  /** Ed25519. */
  readonly sessionKey: Uint8Array;
  /** Bits of scope.ts. */
  readonly scope: number;
  /** Total that may leave the account, fees included; and the part that has left it. */
  readonly limit: bigint;
  readonly spent: bigint;
  readonly expiryMs: number;
  readonly revoked: boolean;
  /** This chain is the target chain. */
  readonly actsHere: boolean;
  /** The transaction that created the record: on the issuing chain, the grant's. */
  readonly transactionId: Uint8Array;
}
