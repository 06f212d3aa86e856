/**
 * Events: what one part of dissemination reports to the others.
 *
 *   part --events--> relay --> reactions
 *
 * A part calls methods only of parts built before it; reactions.ts calls the later ones.
 */
import { assert } from '@slipstream/primitives';
import type { ChunkCertificate, ChunkId } from '@slipstream/types';
import type { StoredChunk } from './chunks/stored-chunk.ts';
import type { PoolTransaction } from './pool/pool-transaction.ts';

export interface DisseminationEvents {
  /** The pool took it. `packAfterMs`: time its home validator has to pack it; undefined on a full node. */
  accepted(entry: PoolTransaction, packAfterMs: number | undefined): void;
  readyToPack(): void;
  chunkAvailable(chunk: StoredChunk): void;
  /** Once for each pending chunk. `goodIds`: its transactions with a good signature. */
  chunkVerified(chunk: StoredChunk, goodIds: StoredChunk['ids']): void;
  /** Once for each pending chunk with a false batch. */
  chunkRefused(chunk: StoredChunk): void;
  /** Once for each chunk. */
  chunkCertified(chunkId: ChunkId, certificate: ChunkCertificate): void;
  /** The certifier made the certificate of an own chunk, `delayMs` after it was sent. */
  ownChunkCertified(chunk: StoredChunk, certificate: ChunkCertificate, delayMs: number): void;
  /** Some leader references certified chunks only, from now on or for longer. */
  certificatesNeeded(): void;
  /** No block references an own chunk in time, or it asks for acks. */
  ownAckDue(chunk: StoredChunk): void;
  /** Its epoch ended before it had a certificate. */
  ownChunkAbandoned(chunk: StoredChunk): void;
  blockTracked(blockHex: string): void;
  /** Committed or expired. */
  chunkGone(chunk: StoredChunk): void;
}

interface EventRelay {
  readonly events: DisseminationEvents;
  /** Once, before the first event. */
  connect(receiver: DisseminationEvents): void;
}

export function createEventRelay(): EventRelay {
  let connected: DisseminationEvents | undefined;

  function receiver(): DisseminationEvents {
    assert(connected !== undefined, 'the relay is connected before its first event');
    return connected;
  }

  return {
    events: {
      accepted: (entry, packAfterMs) => receiver().accepted(entry, packAfterMs),
      readyToPack: () => receiver().readyToPack(),
      chunkAvailable: (chunk) => receiver().chunkAvailable(chunk),
      chunkVerified: (chunk, goodIds) => receiver().chunkVerified(chunk, goodIds),
      chunkRefused: (chunk) => receiver().chunkRefused(chunk),
      chunkCertified: (chunkId, certificate) => receiver().chunkCertified(chunkId, certificate),
      ownChunkCertified: (chunk, certificate, delayMs) => receiver().ownChunkCertified(chunk, certificate, delayMs),
      certificatesNeeded: () => receiver().certificatesNeeded(),
      ownAckDue: (chunk) => receiver().ownAckDue(chunk),
      ownChunkAbandoned: (chunk) => receiver().ownChunkAbandoned(chunk),
      blockTracked: (blockHex) => receiver().blockTracked(blockHex),
      chunkGone: (chunk) => receiver().chunkGone(chunk),
    },
    connect(next) {
      assert(connected === undefined, 'the relay is connected once');
      connected = next;
    },
  };
}
