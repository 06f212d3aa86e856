/**
 * Skipping: the rules by which a packed transaction leaves no trace, in the order in which they are asked.
 *
 * A producer packs what it likes, so a block with such a transaction is valid (D3): every node skips it alike. Skips are not
 * part of the state digest; the order is fixed all the same, so that all nodes report one reason.
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
  /** Executed by an ancestor whose memory has not expired. */
  readonly seen: (id: TransactionId) => boolean;
  /** Executed by this block so far: the position of its chunk in the payload. */
  readonly executedIn: ReadonlyMap<string, number>;
  /** Position of the current chunk. */
  readonly chunk: number;
}

/** What is wrong with it before any balance is looked at; undefined when nothing is. `id` is its id in hex. */
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
