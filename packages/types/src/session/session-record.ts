import type { AccountKey } from '../account.ts';

export interface SessionRecord {
  /** May revoke it here: the anchor on the issuing chain; elsewhere the account. */
  readonly owner: AccountKey;
  /** On the target chain. */
  readonly account: AccountKey;
  /** Ed25519. */
  readonly sessionKey: Uint8Array;
  /** Bits of scope.ts. */
  readonly scope: number;
  /** What may leave the account, fees included; and what has. */
  readonly limit: bigint;
  readonly spent: bigint;
  readonly expiryMs: number;
  readonly revoked: boolean;
  readonly actsHere: boolean;
  /** Created the record: on the issuing chain, the grant's. */
  readonly transactionId: Uint8Array;
}
