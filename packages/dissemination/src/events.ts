/**
 * Events: what one part of dissemination reports to the others.
 *
 *   part --events--> relay --> reactions
 *
 * A part takes `events` when it is built and calls methods of parts that were built before it. reactions.ts holds what follows from
 * each event, so no part refers to one that is built later.
 */
import { assert } from '@slipstream/primitives';
import type { ChunkCertificate, ChunkId } from '@slipstream/types';
import type { StoredChunk } from './chunks/stored-chunk.ts';
import type { PoolTransaction } from './pool/pool-transaction.ts';

export interface DisseminationEvents {
  /** The pool took a transaction. `packAfterMs`: how long its home validator has to pack it; undefined on a full node. */
  accepted(entry: PoolTransaction, packAfterMs: number | undefined): void;
  /** The ready queue has a transaction to pack. */
  readyToPack(): void;
  /** A chunk is in the store. */
  chunkAvailable(chunk: StoredChunk): void;
  /** The signatures of a pending chunk are checked; these of its transactions have a good one. Called once for each chunk. */
  chunkVerified(chunk: StoredChunk, goodIds: StoredChunk['ids']): void;
  /** A certificate of a chunk holds. Called once for each chunk. */
  chunkCertified(chunkId: ChunkId, certificate: ChunkCertificate): void;
  /** A chunk is committed or has expired. */
  chunkGone(chunk: StoredChunk): void;
}

interface EventRelay {
  readonly events: DisseminationEvents;
  /** Called once, before the first event. */
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
      chunkCertified: (chunkId, certificate) => receiver().chunkCertified(chunkId, certificate),
      chunkGone: (chunk) => receiver().chunkGone(chunk),
    },
    connect(next) {
      assert(connected === undefined, 'the relay is connected once');
      connected = next;
    },
  };
}
