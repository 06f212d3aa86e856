import type { PeerKey } from '@slipstream/ports';
import { type ChunkCertificate, type ChunkId, hexOf } from '@slipstream/types';
import type { StoredChunk } from './chunks/stored-chunk.ts';
import type { LimitedSetting } from './components.ts';
import type { EpochChange } from './epochs/epoch-change.ts';
import type { DisseminationEvents } from './events.ts';
import { CHUNK_LIFE_MS } from './limits.ts';
import type { DisseminationParts } from './parts.ts';
import type { PendingReport } from './pending-report.ts';

export function createReactions(
  parts: DisseminationParts,
  pending: PendingReport,
  change: Pick<EpochChange, 'ownChunkAbandoned'>,
  { limits }: LimitedSetting,
): DisseminationEvents {
  const { clock, store, certificates, attestation, waits, ready, window, missingChunks, producer, acks } = parts;
  const { ackSchedule, reports, batchPool, judge } = parts;
  const { committees } = parts;

  function hasOwnBatches({ batches, origin, header }: StoredChunk): boolean {
    return batches.length > 0 && origin === 'producer' && committees.isOwn(header);
  }

  /** Not while many chunks are awaited: a lagging node requests the chunk when it executes its block. */
  function fetchCertified(chunkId: ChunkId, { epoch, signers }: ChunkCertificate): void {
    if (store.isCommitted(hexOf(chunkId)) || missingChunks.waiting >= limits.chunkFetchesMax) return;
    const holders: readonly PeerKey[] = signers.flatMap((index) => committees.of(epoch)?.peerOf(index) ?? []);
    const outdated = new AbortController();
    const cancel = clock.after(CHUNK_LIFE_MS, () => outdated.abort());
    const wanted = { chunkId, hint: holders, height: Number.POSITIVE_INFINITY }; // of no block yet
    missingChunks.waitFor(wanted, outdated.signal).then(cancel, cancel);
  }

  return {
    accepted(entry, packAfterMs) {
      if (entry.peer === undefined) window.accept();
      if (committees.current.self !== undefined) ready.add(entry, packAfterMs ?? limits.homeFallbackMs);
      pending.update();
    },
    readyToPack: () => producer.packer.added(),
    chunkAvailable(chunk) {
      // Of the log too: a broker may offer them again after a restart.
      if (hasOwnBatches(chunk)) batchPool.packed(chunk.batches);
      missingChunks.arrived(chunk);
      attestation.available(chunk);
      pending.update();
    },
    chunkVerified({ hex, header, origin }, goodIds) {
      ready.addChunk(hex, goodIds, committees.isOwn(header) && origin === 'producer');
      if (waits.hasAny(goodIds)) certificates.verifyDeferred(hex);
    },
    chunkRefused({ hex }) {
      ackSchedule.forget(hex);
      ready.removeChunk(hex);
    },
    chunkCertified(chunkId, certificate) {
      const hex = hexOf(chunkId);
      attestation.certified(hex);
      if (store.get(hex) === undefined) fetchCertified(chunkId, certificate);
    },
    ownChunkCertified: (chunk, certificate, delayMs) => producer.onCertified(chunk, certificate, delayMs),
    certificatesNeeded: ackSchedule.acknowledgeAll,
    ownAckDue: ({ hex }) => void producer.certifier.acknowledge(hex).catch((cause) => reports.failed?.(cause)),
    ownChunkAbandoned: change.ownChunkAbandoned,
    blockTracked(blockHex) {
      attestation.blockTracked(blockHex);
      // Own chunks of the block wait for no ack.
      producer.packer.schedule();
    },
    chunkGone(chunk) {
      const { hex, batches } = chunk;
      producer.certifier.forget(hex);
      acks.forget(hex);
      ackSchedule.forget(hex);
      certificates.forget(hex);
      attestation.forget(hex);
      ready.removeChunk(hex);
      missingChunks.goOn();
      for (const batch of batches) judge?.forget(batch);
      if (!hasOwnBatches(chunk)) return;
      batchPool.ownChunkGone(chunk);
      producer.packer.schedule();
    },
  };
}
