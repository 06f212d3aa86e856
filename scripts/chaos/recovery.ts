/** A network has recovered when every node commits blocks made after the healing, and transactions reach an end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '@slipstream/devnet';

export interface RecoveryOptions {
  readonly cluster: Cluster;
  finalTransactions(): number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface Recovery {
  readonly tookMs: number;
  /** What was missing at the timeout; empty after a recovery. */
  readonly missing: readonly string[];
}

const POLL_MS = 200;
const STATUS_TIMEOUT_MS = 1_000;
/** One block could have been under way before the healing. */
const NEW_BLOCKS = 3;

export async function untilRecovered(options: RecoveryOptions): Promise<Recovery> {
  const { cluster, finalTransactions, timeoutMs, signal } = options;
  const healedMs = performance.now();
  const finalBefore = finalTransactions();
  const names = cluster.nodes.map(({ name }) => name);
  let wanted: number | undefined;
  let missing: readonly string[] = [];
  while (performance.now() - healedMs < timeoutMs && !signal.aborted) {
    const heights = await heightsOf(cluster);
    const known = heights.filter((height) => height !== undefined);
    if (wanted === undefined && known.length > 0) wanted = Math.max(...known) + NEW_BLOCKS;
    missing = names.flatMap((name, index) => {
      const height = heights[index];
      if (height === undefined) return [`${name} does not answer`];
      return wanted === undefined || height < wanted ? [`${name} is at height ${height} of ${wanted}`] : [];
    });
    if (finalTransactions() <= finalBefore) missing = [...missing, 'no transaction became final'];
    if (missing.length === 0) break;
    await sleep(POLL_MS);
  }
  return { tookMs: Math.round(performance.now() - healedMs), missing };
}

export function heightsOf({ nodes }: Cluster): Promise<readonly (number | undefined)[]> {
  return Promise.all(
    nodes.map(async ({ client, process }) => {
      if (!process.running) return undefined;
      try {
        return (await client.call('status', { timeoutMs: STATUS_TIMEOUT_MS })).height;
      } catch {
        return undefined;
      }
    }),
  );
}
