/** A chunk in the store. */
import type { Hex, TransactionId } from '@slipstream/types';
import type { UnopenedChunk } from './chunk.ts';
import type { ChunkOrigin } from './seen-headers.ts';

/** It holds the ids of its transactions and not the decoded ones: each of those is some twenty objects for the collector to copy. */
export interface StoredChunk extends UnopenedChunk {
  /** Its first record in the log; for an own chunk the header's. */
  readonly logSequence: number;
  readonly origin: ChunkOrigin;
  /** The member whose quota it takes; undefined: it was requested by id, or is of the log. */
  readonly chargedTo?: number | undefined;
  /** Of its transactions, in order. */
  readonly ids: readonly Hex<TransactionId>[];
  /** Monotonic time. */
  readonly arrivedMs: number;
}
