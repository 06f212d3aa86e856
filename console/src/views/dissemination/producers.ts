/** Chunks of each producer, from the last certificates checked here. */
import type { ChunkNote } from '../../stream/snapshot.ts';

export interface ProducerRow {
  readonly producer: number;
  readonly chunks: number;
  readonly transactions: number;
  readonly rows: number;
  readonly medianMs: number;
  readonly slowestMs: number;
}

/** In the order of the committee. */
export function producerRows(chunks: readonly ChunkNote[]): readonly ProducerRow[] {
  const producers = [...new Set(chunks.map(({ producer }) => producer))].sort((a, b) => a - b);
  return producers.map((producer) => {
    const own = chunks.filter((chunk) => chunk.producer === producer);
    const times = own.map(({ sinceCreatedMs }) => sinceCreatedMs).sort((a, b) => a - b);
    return {
      producer,
      chunks: own.length,
      transactions: own.reduce((sum, { transactions }) => sum + transactions, 0),
      rows: own.reduce((sum, { rows }) => sum + rows, 0),
      medianMs: times[Math.floor((times.length - 1) / 2)] ?? 0,
      slowestMs: times.at(-1) ?? 0,
    };
  });
}
