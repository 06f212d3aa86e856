import type { AuthorityCheckStats } from '@slipstream/crypto';
import type { ChunkCounts } from '../chunks/chunk-store.ts';
import type { DisseminationParts } from '../parts.ts';
import type { ProducerStats } from '../producer/producer.ts';
import type { DropReason } from './drop-counter.ts';
import type { FlowCounts } from './flow.ts';

export interface DisseminationStats {
  readonly pool: { readonly transactions: number; readonly bytes: number; readonly checking: number };
  readonly flow: FlowCounts;
  readonly chunks: ChunkCounts;
  /** Undefined on a node that is no member of the epoch. */
  readonly producer: ProducerStats | undefined;
  readonly ready: number;
  /** Of brokers, for own chunks; being judged; of them, those that wait for the account directory. */
  readonly batches: { readonly waiting: number; readonly judging: number; readonly lagging: number };
  readonly missingChunks: number;
  readonly trackedBlocks: number;
  readonly signatures: { readonly batches: number; readonly signatures: number; readonly joined: number };
  /** Client transactions on their way to a block: allowed, and now. */
  readonly clients: { readonly window: number; readonly underWay: number };
  readonly sessions: AuthorityCheckStats;
  readonly drops: Readonly<Partial<Record<DropReason, number>>>;
}

export function statsOf(parts: DisseminationParts): DisseminationStats {
  const { pool, window, producer } = parts;
  const judge = parts.judge?.stats();
  return {
    pool: { transactions: pool.count, bytes: pool.bytes, checking: parts.intake.checking },
    flow: parts.flow.counts(),
    chunks: parts.store.stats(),
    producer: parts.committees.current.self === undefined ? undefined : producer.stats(),
    ready: parts.ready.count,
    batches: { waiting: parts.batchPool.count, judging: judge?.waiting ?? 0, lagging: judge?.lagging ?? 0 },
    missingChunks: parts.missingChunks.waiting,
    trackedBlocks: parts.references.size,
    signatures: parts.signatures.stats(),
    clients: { window: window.size, underWay: window.inFlight },
    sessions: { ...parts.sessions.stats(), metered: parts.budgets.refusals },
    drops: parts.drops.counts(),
  };
}
