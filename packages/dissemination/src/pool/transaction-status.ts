import type { Attestation } from '../chunks/attestation.ts';
import type { Mempool } from './mempool.ts';
import type { ReadyQueue } from './ready-queue.ts';
import type { Drop, RecentOutcomes } from './recent-outcomes.ts';

export type TransactionState =
  /** Attested: in a chunk that a quorum stores. No expiry: only a chunk has it here, not the pool. */
  | { readonly status: 'pending' | 'attested'; readonly expiryMs?: number }
  /** By a committed block of the last 60 s. The ledger knows older ones. */
  | { readonly status: 'included' }
  /** Unless the reason is `expired`, a block with a timestamp before its expiry may still execute it. */
  | ({ readonly status: 'dropped' } & Drop)
  | { readonly status: 'unknown' };

interface StatusParts {
  readonly pool: Pick<Mempool, 'get'>;
  readonly recent: Pick<RecentOutcomes, 'isIncluded' | 'dropOf'>;
  readonly ready: Pick<ReadyQueue, 'chunksOf'>;
  readonly attestation: Pick<Attestation, 'has'>;
}

/** `id`: lower-case hex, no prefix. */
export function transactionStatus(id: string, { pool, recent, ready, attestation }: StatusParts): TransactionState {
  const chunks = ready.chunksOf(id);
  const status = chunks.some(attestation.has) ? 'attested' : 'pending';
  const pooled = pool.get(id);
  if (pooled) return { status, expiryMs: pooled.expiryMs };
  if (recent.isIncluded(id)) return { status: 'included' };
  const drop = recent.dropOf(id);
  if (drop) return { status: 'dropped', ...drop };
  return { status: chunks.length > 0 ? status : 'unknown' };
}
