/**
 * Seen headers: the first chunk of each epoch, producer and sequence. A second one is evidence (D8). Headers served by id are separate, so
 * that a leader's inventions displace none that a producer sent.
 */
import type { ChunkHeader, ChunkId, Epoch, SignedChunkHeader } from '@slipstream/types';

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
  first(header: Named): SeenHeader | undefined;
  /** Those of epochs before this one. */
  forgetBefore(epoch: Epoch): void;
}

/** An index is another validator in another epoch. */
type Named = Pick<ChunkHeader, 'epoch' | 'producer' | 'sequence'>;

/** Per producer, epoch and origin: a minute of chunks, one each 60 ms. */
const HEADERS_MAX = 1_024;

/** By epoch, producer and sequence, in order of arrival. */
type Headers = Map<Epoch, Map<number, Map<number, SeenHeader>>>;

export function createSeenHeaders(): SeenHeaders {
  const sent: Headers = new Map();
  const served: Headers = new Map();

  const ofProducer = (headers: Headers, { epoch, producer }: Named) => headers.get(epoch)?.get(producer);

  function firstIn(headers: Headers, named: Named): SeenHeader | undefined {
    return ofProducer(headers, named)?.get(named.sequence);
  }

  return {
    remember(entry) {
      const { header, origin } = entry;
      const headers = origin === 'served' ? served : sent;
      const ofEpoch = headers.get(header.epoch) ?? new Map<number, Map<number, SeenHeader>>();
      headers.set(header.epoch, ofEpoch);
      const known = ofEpoch.get(header.producer) ?? new Map<number, SeenHeader>();
      ofEpoch.set(header.producer, known);
      if (known.has(header.sequence)) return;
      known.set(header.sequence, entry);
      if (known.size > HEADERS_MAX) known.delete(known.keys().next().value as number);
    },
    forget({ header, hex }) {
      for (const headers of [sent, served]) {
        const known = ofProducer(headers, header);
        if (known?.get(header.sequence)?.hex === hex) known.delete(header.sequence);
      }
    },
    first: (named) => firstIn(sent, named) ?? firstIn(served, named),
    forgetBefore(epoch) {
      for (const headers of [sent, served]) {
        for (const each of headers.keys()) if (each < epoch) headers.delete(each);
      }
    },
  };
}
