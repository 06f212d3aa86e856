/** Reports to consensus whether there is something to include in a block. */
import type { BatchPool } from './batches/batch-pool.ts';
import type { ChunkStore } from './chunks/chunk-store.ts';
import type { Reports } from './components.ts';
import type { Mempool } from './pool/mempool.ts';

export interface PendingReport {
  hasPending(): boolean;
  /** After a change of pool or store. */
  update(): void;
}

export function createPendingReport({
  pool,
  store,
  batchPool,
  reports,
}: {
  readonly pool: Pick<Mempool, 'count'>;
  readonly store: Pick<ChunkStore, 'stats'>;
  readonly batchPool: Pick<BatchPool, 'count'>;
  readonly reports: Pick<Reports, 'pendingChanged'>;
}): PendingReport {
  let reported = false;

  function hasPending(): boolean {
    return pool.count > 0 || batchPool.count > 0 || store.stats().pending > 0;
  }

  return {
    hasPending,
    update() {
      if (hasPending() === reported) return;
      reported = !reported;
      reports.pendingChanged(reported);
    },
  };
}
