import type { PeerKey } from '@slipstream/ports';
import type { CredentialIssuer, Hex, TransactionId, Units } from '@slipstream/types';
import type { FeeClass } from './fee-class.ts';

export interface PoolTransaction {
  /** Serialized, with a good signature. */
  readonly bytes: Uint8Array;
  readonly id: Hex<TransactionId>;
  /** Text form of the account. */
  readonly sender: string;
  readonly maxFee: bigint;
  readonly expiryMs: number;
  /** Upper bound for execution. */
  readonly units: Units;
  /** Fixed at acceptance. */
  readonly feeClass: FeeClass;
  /** Undefined: submitted here. */
  readonly peer: PeerKey | undefined;
  /** Of its credential. */
  readonly issuer: CredentialIssuer | undefined;
  /** Monotonic. */
  readonly arrivedMs: number;
}
