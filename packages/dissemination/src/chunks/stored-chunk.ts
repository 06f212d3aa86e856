import type { Hex, TransactionId } from '@slipstream/types';
import type { StoredBatch } from '../batches/stored-batch.ts';
import type { ValidatorName } from '../epochs/committees.ts';
import type { UnopenedChunk } from './chunk.ts';
import type { ChunkOrigin } from './seen-headers.ts';

/** Ids only: a decoded transaction is some twenty objects for the garbage collector. */
export interface StoredChunk extends UnopenedChunk {
  /** Its first log record; an own chunk's is the header. */
  readonly logSequence: number;
  readonly origin: ChunkOrigin;
  /** Undefined: requested by id, or from the log. */
  readonly chargedTo?: ValidatorName | undefined;
  readonly ids: readonly Hex<TransactionId>[];
  readonly batches: readonly StoredBatch[];
  /** Monotonic. */
  readonly arrivedMs: number;
}
