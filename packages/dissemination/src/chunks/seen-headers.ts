/**
 * Seen headers: the first chunk of each producer and sequence. A second one is evidence (D8). Headers served by id are separate, so that a
 * leader's inventions displace none that a producer sent.
 */
import type { ChunkId, SignedChunkHeader } from '@slipstream/types';

/**
 * - `producer`: sent by its producer since start, so the producer answers for it.
 * - `log`: from the log at start.
 * - `served`: requested by id, or relayed by a full node's upstream; perhaps not signed by its producer.
 */
export type ChunkOrigin = 'producer' | 'log' | 'served';

/** The signature is a copy: a view would keep the chunk in memory. */
export interface SeenHeader extends SignedChunkHeader {
  readonly id: ChunkId;
  readonly hex: string;
  readonly origin: ChunkOrigin;
}

export interface SeenHeaders {
  remember(header: SeenHeader): void;
  /** Not signed by its producer. */
  forget(header: SeenHeader): void;
  /** Producer-sent before served ones. */
  first(producer: number, sequence: number): SeenHeader | undefined;
}

/** Per producer and origin: a minute of chunks, one each 60 ms. */
const HEADERS_MAX = 1_024;

type BySequence = Map<number, Map<number, SeenHeader>>;

export function createSeenHeaders(): SeenHeaders {
  /** By producer and sequence, in order of arrival. */
  const sent: BySequence = new Map();
  const served: BySequence = new Map();

  return {
    remember(entry) {
      const { header, origin } = entry;
      const headers = origin === 'served' ? served : sent;
      const known = headers.get(header.producer) ?? new Map<number, SeenHeader>();
      headers.set(header.producer, known);
      if (known.has(header.sequence)) return;
      known.set(header.sequence, entry);
      if (known.size > HEADERS_MAX) known.delete(known.keys().next().value as number);
    },
    forget({ header, hex }) {
      for (const headers of [sent, served]) {
        const known = headers.get(header.producer);
        if (known?.get(header.sequence)?.hex === hex) known.delete(header.sequence);
      }
    },
    first: (producer, sequence) => sent.get(producer)?.get(sequence) ?? served.get(producer)?.get(sequence),
  };
}
