/**
 * Batches without effect, in the order of checking. A producer may pack anything, so the block is valid (D3), and every node skips the batch.
 *
 * The window of knownAt comes first: outside it a node may not know the directory's size at knownAt, so it could not judge the signatures.
 */
import { type SkipReason, TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import type { BatchHeader } from './header.ts';

/** Blocks below its own that a batch may name as knownAt: nodes keep the directory's sizes of as many. */
export const KNOWN_AT_WINDOW = 1024;

export interface BatchSkipContext {
  readonly height: number;
  readonly timestampMs: number;
  /** Of a row, at the block's prices. */
  readonly rowFee: bigint;
  /** By Z1 to Z6. Not called outside the window. */
  readonly isValid: () => boolean;
  /** Whether the block or an ancestor ran it within its life. */
  readonly ran: () => boolean;
}

export function batchSkipReason(header: BatchHeader, context: BatchSkipContext): SkipReason | undefined {
  const { height, timestampMs, rowFee } = context;
  if (header.knownAt >= height || header.knownAt < height - KNOWN_AT_WINDOW) return 'known-at-bounds';
  if (!context.isValid()) return 'bad-signature';
  const late = expiryFault(header.expiryMs, timestampMs);
  if (late !== undefined) return late;
  if (context.ran()) return 'duplicate';
  return rowFee > header.feeCap ? 'max-fee-too-low' : undefined;
}

export function expiryFault(expiryMs: number, timestampMs: number): 'expired' | 'expiry-too-far' | undefined {
  if (expiryMs <= timestampMs) return 'expired';
  return expiryMs > timestampMs + TRANSACTION_LIFE_MS_MAX ? 'expiry-too-far' : undefined;
}
