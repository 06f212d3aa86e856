/**
 * Seen headers: which chunk came first under each producer and sequence. A second one is evidence (D8).
 *
 * Headers that came by id are kept apart: a leader may name chunks that it invented, and these must not displace headers that a
 * producer sent.
 */
import type { ChunkId, SignedChunkHeader } from '@slipstream/types';

/**
 * - `producer`: its producer sent it since this node started, so the producer answers for all of it.
 * - `log`: the log had it at start.
 * - `served`: it was requested by id, or a full node's upstream passed it on. Its producer may not have signed it.
 */
export type ChunkOrigin = 'producer' | 'log' | 'served';

/** The signature is a copy: a view would keep the whole chunk in memory. */
export interface SeenHeader extends SignedChunkHeader {
  readonly id: ChunkId;
  readonly hex: string;
  readonly origin: ChunkOrigin;
}

export interface SeenHeaders {
  remember(header: SeenHeader): void;
  /** Its producer turned out not to have signed it. */
  forget(header: SeenHeader): void;
  /** What came first under this sequence, unless it is too long ago. What producers sent goes before what was served. */
  first(producer: number, sequence: number): SeenHeader | undefined;
}

/** For each producer and origin: a minute of chunks, one each 60 ms. Equivocation is not looked for in older ones. */
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
