/**
 * Chunk restore: the chunks of the log, at start, before any frame.
 *
 *   own-chunk-header --> its sequence is used; its chunk is an own one
 *   chunk --> header --> too old for any later block: dropped
 *                   \--> open --> store          then the recent committed blocks, then `done`: what is still pending is judged
 *
 * A log holds many minutes of chunks, nearly all of them final, so bodies are opened only where a later block may need them.
 *
 * INVARIANT (D9): a chunk is an own one because the log holds its header as one that was about to be signed, never because its header
 * names this validator. A leader may invent chunks in any name, and a node that checks its block logs them.
 */
import { chunkHeaderCodec, chunkIdOf, hexOf } from '@slipstream/types';
import type { Producer } from '../producer/producer.ts';
import { type ChunkRules, openBody, readChunk } from './chunk.ts';
import type { ChunkIntake } from './chunk-intake.ts';
import type { ChunkStore } from './chunk-store.ts';

export interface ChunkRestore {
  /**
   * An `own-chunk-header` record. `finalMs`: the timestamp of the last committed block, 0 for none; later blocks are younger. False
   * when the record is damaged.
   */
  ownHeader(record: Uint8Array, logSequence: number, finalMs: number): boolean;
  /** A `chunk` record. False when it is damaged or foreign. */
  chunk(record: Uint8Array, logSequence: number, finalMs: number): boolean;
  /** Log and ledger are read. */
  done(): void;
}

interface ChunkRestoreParts {
  readonly store: Pick<ChunkStore, 'pending'>;
  readonly chunks: Pick<ChunkIntake, 'addRestored' | 'addOwnRestored' | 'verifyTransactions'>;
  readonly producer: Pick<Producer, 'markSequenceUsed' | 'resume'> | undefined;
}

export function createChunkRestore(
  { store, chunks, producer }: ChunkRestoreParts,
  { chunkRules }: { readonly chunkRules: ChunkRules },
): ChunkRestore {
  /** By chunk id: place in the log of headers that were signed here. */
  const own = new Map<string, number>();

  return {
    ownHeader(record, logSequence, finalMs) {
      const header = chunkHeaderCodec.decode(record);
      if (!header.ok) return false;
      producer?.markSequenceUsed(header.value.sequence);
      if (header.value.expiryMs > finalMs) own.set(hexOf(chunkIdOf(header.value)), logSequence);
      return true;
    },
    chunk(record, logSequence, finalMs) {
      const unopened = readChunk(record.slice(), chunkRules);
      if (!unopened.ok) return false;
      const { header, hex } = unopened.value;
      if (header.expiryMs <= finalMs) return true;
      const opened = openBody(unopened.value, chunkRules);
      if (!opened.ok) return false;
      const ownHeaderAt = own.get(hex);
      if (ownHeaderAt === undefined) chunks.addRestored(opened.value, logSequence);
      else producer?.resume(chunks.addOwnRestored(opened.value, ownHeaderAt));
      return true;
    },
    done() {
      own.clear();
      for (const chunk of store.pending()) chunks.verifyTransactions(chunk);
    },
  };
}
