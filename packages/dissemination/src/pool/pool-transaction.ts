/** A transaction in the mempool. */
import type { PeerKey } from '@slipstream/ports';
import type { Hex, TransactionId, Units } from '@slipstream/types';
import type { FeeClass } from './fee-class.ts';

export interface PoolTransaction {
  /** Serialized; its signature is good. */
  readonly bytes: Uint8Array;
  readonly id: Hex<TransactionId>;
  /** Text form of the account. */
  readonly sender: string;
  readonly maxFee: bigint;
  readonly expiryMs: number;
  /** Upper bound of what its execution takes. */
  readonly units: Units;
  /** As of its acceptance; it does not change. */
  readonly feeClass: FeeClass;
  /** Undefined: submitted here. */
  readonly peer: PeerKey | undefined;
  /** Monotonic time of arrival. */
  readonly arrivedMs: number;
}
