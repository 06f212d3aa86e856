/** Chunk resend: an own chunk of this epoch goes again to members without an ack, unless a known block brings it to them. */
import type { QuorumBuffer } from '@slipstream/crypto';
import type { Clock, FrameSender } from '@slipstream/ports';
import type { OutgoingFrame } from '@slipstream/primitives';
import type { ChunkId } from '@slipstream/types';
import type { StoredChunk } from '../chunks/stored-chunk.ts';
import type { Committees, EpochCommittee } from '../epochs/committees.ts';
import { CHUNK_RESEND_MS } from '../limits.ts';
import type { ChunkReferences } from '../proposals/chunk-references.ts';

/** Own, without certificate or commit. */
export interface TrackedChunk {
  readonly chunk: StoredChunk;
  readonly committee: EpochCommittee;
  readonly frame: OutgoingFrame;
  readonly buffer: QuorumBuffer<ChunkId>;
  readonly sentMs: number;
  /** Members that hold it acknowledge it no sooner (D21). */
  readonly acksFromMs: number;
  resentMs: number;
  /** Signed, or being signed. */
  hasOwnAck: boolean;
}

interface ChunkResend {
  /** There is an own chunk. */
  start(): void;
  /** Chunks of this epoch that no known block references. */
  readonly waiting: number;
  stop(): void;
}

interface ChunkResendParts {
  readonly clock: Clock;
  readonly transport: FrameSender;
  readonly committees: Pick<Committees, 'current'>;
  readonly references: Pick<ChunkReferences, 'isReferenced'>;
  readonly tracked: ReadonlyMap<string, TrackedChunk>;
  resent(entry: TrackedChunk): void;
}

export function createChunkResend(parts: ChunkResendParts): ChunkResend {
  const { clock, transport, committees, references, tracked, resent } = parts;
  let cancel: (() => void) | undefined;

  const isOpen = ({ chunk }: TrackedChunk) => chunk.header.epoch === committees.current.epoch;
  const isWaiting = (entry: TrackedChunk) => isOpen(entry) && !references.isReferenced(entry.chunk.hex);

  function resend(): void {
    const nowMs = clock.monotonicMs();
    for (const entry of tracked.values()) {
      if (!isWaiting(entry) || nowMs - Math.max(entry.resentMs, entry.acksFromMs) < CHUNK_RESEND_MS) continue;
      entry.resentMs = nowMs;
      const { committee, buffer, frame } = entry;
      const missing = committee.members.filter(({ index }) => buffer.vote(index) === undefined);
      for (const { index } of missing) committee.peersOf(index).some((peer) => transport.send(peer, 'chunk', frame));
      resent(entry);
    }
    cancel = [...tracked.values()].some(isOpen) ? clock.after(CHUNK_RESEND_MS, resend) : undefined;
  }

  return {
    start() {
      cancel ??= clock.after(CHUNK_RESEND_MS, resend);
    },
    // Asked for each transaction.
    get waiting() {
      let count = 0;
      for (const entry of tracked.values()) if (isWaiting(entry)) count++;
      return count;
    },
    stop: () => cancel?.(),
  };
}
