/**
 * Chunk store: the chunks that a node can serve and execute.
 *
 *   pending    here, not on the final chain yet: kept until it expires unreferenced (D1)
 *   committed  on the final chain: its bytes alone are kept, to serve peers a little behind; oldest let go first
 *
 * Pending bytes and chunks are bounded for each member that sends chunks unasked: of a validator's peers each its own, of a full node's
 * also those of others. A chunk that was asked for by id is stored beside that bound: a block needs it, and what a leader invents in a
 * validator's name must not take that one's room.
 */
import type { ChunkId, Hex, SignedChunkHeader, TransactionId } from '@slipstream/types';
import type { ChunkVerdict } from '../intake/signature-checks.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { UnopenedChunk } from './chunk.ts';

/**
 * Of its transactions, their ids: decoded ones are some twenty objects each, which the collector would copy twice in the second that a
 * chunk waits for its block.
 */
export interface StoredChunk extends UnopenedChunk {
  /** Its first record in the log: the header's, of own ones. */
  readonly logSequence: number;
  /** `served` and `log`: whoever named it may have invented it in its supposed producer's name, so it counts nowhere as that one's doing. */
  readonly origin: ChunkOrigin;
  /** The member whose room it takes: who sent it unasked. Undefined: it was asked for, or is of the log. */
  readonly chargedTo?: number | undefined;
  /** Of its transactions, in order. */
  readonly ids: readonly Hex<TransactionId>[];
  /** Monotonic time. */
  readonly arrivedMs: number;
}

/** In memory of its own: a view of a chunk's bytes would keep all of them. */
export interface SeenHeader extends SignedChunkHeader {
  readonly id: ChunkId;
  readonly hex: string;
  readonly origin: ChunkOrigin;
}

/**
 * `producer`: sent by it, in this life of the node, so whatever is wrong with it is the producer's. `log`: of an earlier life. `served`:
 * asked for by id, so a block names it, or passed on to a full node; whether its producer signed it is not known.
 */
export type ChunkOrigin = 'producer' | 'log' | 'served';

export interface ChunkStore {
  /** `keptUntilMs`: by block timestamp; unreferenced until then, it is let go. It may say of itself that it never expires. */
  put(chunk: StoredChunk, keptUntilMs: number): void;
  rememberHeader(header: SeenHeader): void;
  /** It turned out that its producer never signed it. */
  forgetHeader(header: SeenHeader): void;
  /** A pending one. */
  get(hex: string): StoredChunk | undefined;
  /** Serialized, pending or committed. */
  bytesOf(hex: string): Uint8Array | undefined;
  /** What came first as this producer's under this sequence, if it is not too long ago; what others served after all else. */
  firstHeader(producer: number, sequence: number): SeenHeader | undefined;
  /** Bytes that this member may still have pending here; never negative, and none when it has as many chunks as it may. */
  quotaBytesLeft(member: number): number;
  /** Verdicts of a pending chunk's transactions, once; asked of `verify` if need be. A failure is not kept. */
  verdicts(chunk: StoredChunk, verify: Verify): Promise<readonly ChunkVerdict[]>;
  /** Oldest first. */
  pending(): Iterable<StoredChunk>;
  /** On the final chain, and still remembered as such. */
  isCommitted(hex: string): boolean;
  /** What is pending of this member, as a share of what may be, of bytes or chunks. */
  quotaUsed(member: number): number;
  commit(hex: string): void;
  /** Lets go of pending chunks that no block with this timestamp or a later one may reference, and none does. */
  expire(timestampMs: number, isReferenced: (hex: string) => boolean): number;
  /** Records of the log below this are not needed for any pending chunk; undefined when none is pending. */
  logFloor(): number | undefined;
  stats(): ChunkCounts;
}

/** stored = committed + expired + pending. */
export interface ChunkCounts {
  /** Of all producers, since start. */
  readonly stored: number;
  readonly committed: number;
  readonly expired: number;
  /** Now. */
  readonly pending: number;
  readonly pendingBytes: number;
  /** Committed ones whose bytes are kept in memory. */
  readonly retained: number;
}

export type Verify = () => Promise<readonly ChunkVerdict[]>;

/** Headers remembered a producer, and as many that were served: a minute of chunks at a chunk each 60 ms. Older equivocation is not looked for. */
const HEADERS_MAX = 1_024;
/** Shares of chunks that a full node's upstream has, as it passes on what all make: seconds of a hundred producers. */
const SHARES_MAX = 8;

export function createChunkStore(
  limits: Pick<DisseminationLimits, 'producerBytesMax' | 'producerChunksMax' | 'retainedBytesMax'>,
  /** Whose chunks one sender passes on. */
  producers: number,
  /** Called with each chunk that is pending no more. */
  onGone: (chunk: StoredChunk) => void,
): ChunkStore {
  const chunksMax = limits.producerChunksMax * Math.min(producers, SHARES_MAX);
  const pending = new Map<string, StoredChunk>();
  const retainedUntil = new Map<string, number>();
  const committed = new Map<string, Uint8Array>();
  /** By producer and sequence, in order of arrival. */
  const headers = new Map<number, Map<number, SeenHeader>>();
  /** Apart: a leader may name chunks that it invented, and these must not displace what producers sent. */
  const servedHeaders = new Map<number, Map<number, SeenHeader>>();
  const verdicts = new Map<string, Promise<readonly ChunkVerdict[]>>();
  const charged = new Map<number, { bytes: number; chunks: number }>();
  const counts = { stored: 0, committed: 0, expired: 0 };
  let committedBytes = 0;
  let unchargedBytes = 0;

  function charge({ chargedTo, bytes: { length } }: StoredChunk, sign: 1 | -1): void {
    if (chargedTo === undefined) {
      unchargedBytes += sign * length;
      return;
    }
    const { bytes, chunks } = chargedOf(chargedTo);
    charged.set(chargedTo, { bytes: bytes + sign * length, chunks: chunks + sign });
  }

  function chargedOf(member: number): { readonly bytes: number; readonly chunks: number } {
    return charged.get(member) ?? { bytes: 0, chunks: 0 };
  }

  function roomOf(member: number): number {
    const { bytes, chunks } = chargedOf(member);
    return chunks >= chunksMax ? 0 : Math.max(0, limits.producerBytesMax - bytes);
  }

  function shareOf(member: number): number {
    const { bytes, chunks } = chargedOf(member);
    return Math.max(bytes / limits.producerBytesMax, chunks / chunksMax);
  }

  function rememberHeader(entry: SeenHeader): void {
    const { header, origin } = entry;
    const book = origin === 'served' ? servedHeaders : headers;
    const known = book.get(header.producer) ?? new Map<number, SeenHeader>();
    book.set(header.producer, known);
    if (known.has(header.sequence)) return;
    known.set(header.sequence, entry);
    if (known.size > HEADERS_MAX) known.delete(known.keys().next().value as number);
  }

  function forgetHeader({ header, hex }: SeenHeader): void {
    for (const book of [headers, servedHeaders]) {
      const known = book.get(header.producer);
      if (known?.get(header.sequence)?.hex === hex) known.delete(header.sequence);
    }
  }

  function put(chunk: StoredChunk, keptUntilMs: number): void {
    if (pending.has(chunk.hex) || committed.has(chunk.hex)) return;
    pending.set(chunk.hex, chunk);
    retainedUntil.set(chunk.hex, keptUntilMs);
    counts.stored++;
    charge(chunk, 1);
  }

  function takePending(hex: string): StoredChunk | undefined {
    const chunk = pending.get(hex);
    if (chunk === undefined) return undefined;
    pending.delete(hex);
    retainedUntil.delete(hex);
    verdicts.delete(hex);
    charge(chunk, -1);
    onGone(chunk);
    return chunk;
  }

  function commit(hex: string): void {
    const chunk = takePending(hex);
    if (chunk === undefined) return;
    counts.committed++;
    committed.set(hex, chunk.bytes);
    committedBytes += chunk.bytes.length;
    for (const [oldest, bytes] of committed) {
      if (committedBytes <= limits.retainedBytesMax) break;
      committed.delete(oldest);
      committedBytes -= bytes.length;
    }
  }

  function expire(timestampMs: number, isReferenced: (hex: string) => boolean): number {
    const due = [...retainedUntil].filter(([hex, untilMs]) => untilMs <= timestampMs && !isReferenced(hex));
    for (const [hex] of due) takePending(hex);
    counts.expired += due.length;
    return due.length;
  }

  function verdictsOn({ hex }: StoredChunk, verify: Verify): Promise<readonly ChunkVerdict[]> {
    const known = verdicts.get(hex);
    if (known) return known;
    const asked = verify();
    if (!pending.has(hex)) return asked;
    verdicts.set(hex, asked);
    asked.catch(() => verdicts.delete(hex)); // who waits for it is told; the next one asks again
    return asked;
  }

  return {
    put,
    rememberHeader,
    forgetHeader,
    get: (hex) => pending.get(hex),
    bytesOf: (hex) => pending.get(hex)?.bytes ?? committed.get(hex),
    firstHeader: (producer, sequence) =>
      headers.get(producer)?.get(sequence) ?? servedHeaders.get(producer)?.get(sequence),
    quotaBytesLeft: roomOf,
    verdicts: verdictsOn,
    pending: () => pending.values(),
    isCommitted: (hex) => committed.has(hex),
    quotaUsed: shareOf,
    commit,
    expire,
    logFloor() {
      let floor: number | undefined;
      for (const { logSequence } of pending.values()) floor = Math.min(floor ?? logSequence, logSequence);
      return floor;
    },
    stats: () => ({
      ...counts,
      pending: pending.size,
      pendingBytes: [...charged.values()].reduce((sum, { bytes }) => sum + bytes, unchargedBytes),
      retained: committed.size,
    }),
  };
}
