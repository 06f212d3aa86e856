import type { Mempool } from './mempool.ts';
import type { Drop, RecentOutcomes } from './recent-outcomes.ts';

export type TransactionState =
  | { readonly status: 'pending'; readonly expiryMs: number }
  /** By a committed block of the last 60 s. The ledger knows older ones. */
  | { readonly status: 'included' }
  /** Unless the reason is `expired`, a block with a timestamp before its expiry may still execute it. */
  | ({ readonly status: 'dropped' } & Drop)
  | { readonly status: 'unknown' };

/** `id`: lower-case hex, no prefix. */
export function transactionStatus(
  id: string,
  pool: Pick<Mempool, 'get'>,
  recent: Pick<RecentOutcomes, 'isIncluded' | 'dropOf'>,
): TransactionState {
  const pooled = pool.get(id);
  if (pooled) return { status: 'pending', expiryMs: pooled.expiryMs };
  if (recent.isIncluded(id)) return { status: 'included' };
  const drop = recent.dropOf(id);
  return drop ? { status: 'dropped', ...drop } : { status: 'unknown' };
}
