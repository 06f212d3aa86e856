/**
 * Restoring: the chunks of the log, at start, before any frame.
 *
 *   record --> header --> too old for any block to come: let go
 *                    \--> open --> store          committed blocks of late are told ... restored: what is pending still is judged
 *
 * A log holds many minutes of chunks, and nearly all of them are final. To open and verify them again took two fifths
 * of the processor time of a restart after ten minutes of load.
 */
import { type ChunkRules, openBody, readChunk } from './chunk.ts';
import type { ChunkIntake } from './chunk-intake.ts';
import type { ChunkStore } from './chunk-store.ts';
import type { Producer } from './producer.ts';

export interface Restoring {
  /**
   * A `chunk` record. `finalMs`: the timestamp of the last committed block, 0 for none; later blocks are younger. False when the
   * record is damaged or foreign.
   */
  chunk(record: Uint8Array, logSequence: number, finalMs: number): boolean;
  /** The log and the ledger have told all. */
  done(): void;
}

export interface RestoringParts {
  readonly store: Pick<ChunkStore, 'pending'>;
  readonly chunks: Pick<ChunkIntake, 'takeBack' | 'judge'>;
  readonly producer: Pick<Producer, 'used' | 'resume'> | undefined;
}

export function createRestoring(
  { store, chunks, producer }: RestoringParts,
  { chunkRules, memberIndex }: { readonly chunkRules: ChunkRules; readonly memberIndex: number | undefined },
): Restoring {
  return {
    chunk(record, logSequence, finalMs) {
      const unopened = readChunk(record.slice(), chunkRules);
      if (!unopened.ok) return false;
      const { header } = unopened.value;
      const isOwn = header.producer === memberIndex;
      if (isOwn) producer?.used(header.sequence);
      if (header.expiryMs <= finalMs) return true;
      const opened = openBody(unopened.value, chunkRules);
      if (!opened.ok) return false;
      const chunk = chunks.takeBack(opened.value, logSequence);
      if (isOwn) producer?.resume(chunk);
      return true;
    },
    done() {
      for (const chunk of store.pending()) chunks.judge(chunk);
    },
  };
}
