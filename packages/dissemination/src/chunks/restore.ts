/**
 * Chunk restore: the log's chunks, at start, before any frame.
 *
 *   own-chunk-header --> its sequence is used; its chunk is an own one
 *   chunk --> header --> too old for any later block, or of an epoch without a record: dropped
 *                   \--> open --> store          then the recent committed blocks, then `done`: pending chunks are judged
 *
 * INVARIANT (D9): a chunk is own because the log holds its header as one about to be signed, never because its header names this
 * validator. A leader may invent chunks in any name, and nodes that check its block log them.
 */
import { chunkHeaderCodec, chunkIdOf, hexOf } from '@slipstream/types';
import type { Producer } from '../producer/producer.ts';
import { type ChunkRules, openBody, readChunk } from './chunk.ts';
import type { ChunkIntake } from './chunk-intake.ts';
import type { ChunkStore } from './chunk-store.ts';

export interface ChunkRestore {
  /** An `own-chunk-header` record. `finalMs`: the last committed block's timestamp; 0: none. False: damaged. */
  ownHeader(record: Uint8Array, logSequence: number, finalMs: number): boolean;
  /** A `chunk` record, perhaps once more when another record of an epoch is known. False: damaged. */
  chunk(record: Uint8Array, logSequence: number, finalMs: number): boolean;
  /** Log and ledger are read. */
  done(): void;
}

interface ChunkRestoreParts {
  readonly store: Pick<ChunkStore, 'get' | 'pending'>;
  readonly chunks: Pick<ChunkIntake, 'addRestored' | 'addOwnRestored' | 'verifyTransactions'>;
  readonly producer: Pick<Producer, 'markSequenceUsed' | 'resume' | 'moved'>;
}

export function createChunkRestore(
  { store, chunks, producer }: ChunkRestoreParts,
  { chunkRules }: { readonly chunkRules: ChunkRules },
): ChunkRestore {
  /** Log sequence of own headers, by chunk id. */
  const own = new Map<string, number>();

  return {
    ownHeader(record, logSequence, finalMs) {
      const header = chunkHeaderCodec.decode(record);
      if (!header.ok) return false;
      producer.markSequenceUsed(header.value.sequence);
      if (header.value.expiryMs > finalMs) own.set(hexOf(chunkIdOf(header.value)), logSequence);
      return true;
    },
    chunk(record, logSequence, finalMs) {
      const unopened = readChunk(record.slice(), chunkRules);
      if (!unopened.ok) return unopened.error.type === 'foreign-epoch';
      const { header, hex } = unopened.value;
      if (store.get(hex) !== undefined) return true;
      if (header.expiryMs <= finalMs) return true;
      const opened = openBody(unopened.value, chunkRules);
      if (!opened.ok) return false;
      const ownHeaderAt = own.get(hex);
      if (ownHeaderAt === undefined) chunks.addRestored(opened.value, logSequence);
      else producer.resume(chunks.addOwnRestored(opened.value, ownHeaderAt));
      return true;
    },
    done() {
      own.clear();
      for (const chunk of store.pending()) chunks.verifyTransactions(chunk);
      producer.moved();
    },
  };
}
