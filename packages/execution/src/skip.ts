/**
 * Skipping: the rules by which a packed transaction has no effect, in the order of checking.
 *
 * A producer may pack anything, so a block with such a transaction is valid (D3), and every node skips it. Skips are not part of the state
 * digest; the order is fixed so that all nodes report the same reason.
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
  /** Executed by an ancestor within the transaction's life. */
  readonly seen: (id: TransactionId) => boolean;
  /** Executed by this block so far: the position of its chunk in the payload. */
  readonly executedIn: ReadonlyMap<string, number>;
  /** Position of the current chunk. */
  readonly chunk: number;
}

/** Checks that need no balance. `id` is the transaction's id in hex. */
export function skipReasonOf(prepared: PreparedTransaction, id: string, context: SkipContext): SkipReason | undefined {
  const { transaction } = prepared;
  if (transaction === undefined) return 'malformed';
  if (!prepared.signatureValid) return prepared.fault ?? 'bad-signature';
  const { body } = transaction;
  if (!bytesEqual(body.genesisHash, context.genesisHash)) return 'wrong-genesis';
  if (body.expiryMs <= context.timestampMs) return 'expired';
  if (body.expiryMs > context.timestampMs + TRANSACTION_LIFE_MS_MAX) return 'expiry-too-far';
  const executedIn = context.executedIn.get(id);
  if (executedIn === context.chunk) return 'chunk-duplicate';
  if (executedIn !== undefined || context.seen(prepared.id)) return 'duplicate';
  return undefined;
}
