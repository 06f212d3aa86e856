/** Counters of dissemination, as the node's telemetry reads them. */
import type { SessionCheckStats } from '@slipstream/crypto';
import type { ChunkCounts } from '../chunks/chunk-store.ts';
import type { ProducerStats } from '../producer/producer.ts';
import type { DropReason } from './drop-counter.ts';
import type { FlowCounts } from './flow.ts';

export interface DisseminationStats {
  readonly pool: { readonly transactions: number; readonly bytes: number; readonly checking: number };
  readonly flow: FlowCounts;
  readonly chunks: ChunkCounts;
  /** Of the own producer; undefined on a full node. */
  readonly producer: ProducerStats | undefined;
  readonly ready: number;
  readonly missingChunks: number;
  readonly trackedBlocks: number;
  readonly signatures: { readonly batches: number; readonly signatures: number; readonly joined: number };
  /** What clients may have on its way here, and have. */
  readonly clients: { readonly window: number; readonly underWay: number };
  readonly sessions: SessionCheckStats;
  readonly drops: Readonly<Partial<Record<DropReason, number>>>;
}
