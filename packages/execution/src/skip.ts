/**
 * Skipping: when a packed transaction has no effect, in the order of checking.
 *
 * A producer may pack anything, so the block is valid (D3), and every node skips the transaction. Skips are not part of the state digest;
 * the fixed order makes all nodes report the same reason.
 */
import { bytesEqual } from '@slipstream/primitives';
import {
  type GenesisHash,
  type PreparedTransaction,
  type SkipReason,
  TRANSACTION_LIFE_MS_MAX,
  type TransactionId,
} from '@slipstream/types';

export interface SkipContext {
  readonly genesisHash: GenesisHash;
  readonly timestampMs: number;
  /** Whether an ancestor executed the transaction within its life. */
  readonly seen: (id: TransactionId) => boolean;
  /** Position of the chunk in which this block executed the transaction so far. */
  readonly executedIn: (id: TransactionId) => number | undefined;
  /** Position of the current chunk. */
  readonly chunk: number;
}

/** Makes the checks that need no balance. */
export function skipReasonOf(prepared: PreparedTransaction, context: SkipContext): SkipReason | undefined {
  const { transaction } = prepared;
  if (transaction === undefined) return 'malformed';
  if (!prepared.signatureValid) return prepared.fault ?? 'bad-signature';
  const { body } = transaction;
  if (!bytesEqual(body.genesisHash, context.genesisHash)) return 'wrong-genesis';
  if (body.expiryMs <= context.timestampMs) return 'expired';
  if (body.expiryMs > context.timestampMs + TRANSACTION_LIFE_MS_MAX) return 'expiry-too-far';
  const executedIn = context.executedIn(prepared.id);
  if (executedIn === context.chunk) return 'chunk-duplicate';
  if (executedIn !== undefined || context.seen(prepared.id)) return 'duplicate';
  return undefined;
}
