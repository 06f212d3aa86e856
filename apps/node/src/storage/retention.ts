/** Prunes chunks first, then blocks; an archive nothing. The ledger retains the last minute, for replay protection (ledger/prune.ts). */
import type { ChunkFiles } from '@slipstream/chunk-files';
import type { Ledger } from '@slipstream/ledger';
import type { Telemetry } from '@slipstream/ports';
import { TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';

interface RetentionComponents {
  readonly ledger: Ledger;
  readonly chunks: Pick<ChunkFiles, 'forget' | 'removeBelow'>;
  readonly telemetry: Telemetry;
  /** Called with the oldest retained height, after each round. */
  readonly retained?: ((height: number) => void) | undefined;
}

interface RetentionPolicy {
  readonly archive: boolean;
  readonly blocks: number;
}

interface Retention {
  /** Call for each commit. Resolves when the pruning is done. */
  committed(height: number): Promise<void>;
}

/** Blocks pruned per commit: twice what a commit adds, so a lowered limit is reached without a pause. */
const BLOCKS_AT_ONCE = 2;
/** Above this backlog pruning takes larger steps. */
const BACKLOG_BLOCKS = 1_000;
const BLOCKS_AT_ONCE_BEHIND = 16;

export function createRetention(
  { ledger, chunks, telemetry, retained }: RetentionComponents,
  policy: RetentionPolicy,
): Retention {
  let busy = false;
  telemetry.count('node_pruned_chunks_total', 0);

  async function prune(height: number): Promise<void> {
    const tip = await ledger.tip();
    if (tip === undefined) return;
    const surplus = height - policy.blocks - tip.earliestHeight + 1;
    retained?.(tip.earliestHeight);
    telemetry.gauge('node_earliest_height', tip.earliestHeight);
    // Earlier chunks are removed too: the process may have ended between the two steps.
    await chunks.removeBelow(tip.earliestHeight);
    if (surplus <= 0) return;
    const atOnce = surplus > BACKLOG_BLOCKS ? BLOCKS_AT_ONCE_BEHIND : BLOCKS_AT_ONCE;
    const below = tip.earliestHeight + Math.min(surplus, atOnce);
    for (let at = tip.earliestHeight as number; at < below; at++) {
      const found = await ledger.block({ height: at });
      if (found && found.block.timestampMs >= tip.timestampMs - TRANSACTION_LIFE_MS_MAX) return;
      const gone = found?.block.payload ?? [];
      await chunks.forget(gone.map(({ chunkId }) => chunkId));
      await ledger.pruneBelow(at + 1);
      telemetry.count('node_pruned_chunks_total', gone.length);
    }
    telemetry.gauge('node_earliest_height', below);
    retained?.(below);
  }

  return {
    async committed(height) {
      if (policy.archive || busy) return;
      busy = true;
      try {
        await prune(height);
      } finally {
        busy = false;
      }
    },
  };
}
