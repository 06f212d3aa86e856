/**
 * The application that consensus orders: dissemination provides payloads, the executor executes and commits them.
 *
 *   consensus --check, build--> dissemination      consensus --execute, finalized, certified--> executor
 *                                    \--chunks, as the executor requests them-----------------------^
 */
import type { Application } from '@slipstream/consensus';
import type { Dissemination } from '@slipstream/dissemination';
import type { LedgerReader } from '@slipstream/ledger';
import { type Archive, createEpochArchive, type SnapshotArchive } from '@slipstream/sync';
import { CHUNK_BYTES_MAX, digestPreimageCodec, SYNC_CHUNKS_MAX } from '@slipstream/types';
import { packIds } from '../api-thread/ids.ts';
import type { Executor } from '../executor/executor.ts';
import { packBatches, type RequestPayload, type SuppliedChunk, verdictByte } from '../executor/wire.ts';

/** A block's verified chunks, in the executor's form. */
export async function suppliedPayload(
  { payloadOf }: Pick<Dissemination, 'payloadOf'>,
  ...block: Parameters<RequestPayload>
): Promise<readonly SuppliedChunk[]> {
  const chunks = await payloadOf(...block);
  return chunks.map(({ bytes, verdicts, ids, batches }) => ({
    bytes,
    verdicts: Uint8Array.from(verdicts, verdictByte),
    ids: packIds(ids),
    batches: packBatches(batches),
  }));
}

/** Execution in another thread, or beside consensus in simulation. */
type Execution = Pick<Executor, 'execute' | 'notarized' | 'finalized' | 'certified' | 'moved'>;

export function createApplication(dissemination: Dissemination, execution: Execution): Application {
  return {
    buildPayload: (request) => dissemination.buildPayload(request),
    checkPayload: (blockId, block, signal) => dissemination.checkPayload(blockId, block, signal),
    execute(blockId, block) {
      dissemination.trackBlock(blockId, block);
      return execution.execute(blockId, block);
    },
    notarized(blockId) {
      dissemination.notarized(blockId);
      execution.notarized(blockId);
    },
    finalized(blockId, block, certificate) {
      dissemination.trackBlock(blockId, block);
      execution.finalized(blockId, block, certificate);
    },
    certified: (certificate) => execution.certified(certificate),
    moved: (end) => execution.moved(end),
    hasPending: () => dissemination.hasPending(),
  };
}

export function createArchive(
  ledger: LedgerReader,
  { chunkById }: Pick<Dissemination, 'chunkById'>,
  segmentOf: Executor['segment'],
  snapshots?: SnapshotArchive,
): Archive {
  return {
    ...(snapshots ? { snapshots } : {}),
    async blockById(id) {
      return (await ledger.block({ id }))?.block ?? (await ledger.filler(id));
    },
    async finalizedRange(from, to, limit) {
      const { blocks, certificates } = await ledger.finalizedRange(from, Math.min(to, from + limit - 1));
      return { blocks, certificates };
    },
    epochs: createEpochArchive(ledger),
    async segment(id) {
      const found = await segmentOf(id);
      if (found === undefined) return undefined;
      const parts = [digestPreimageCodec.encode(found.preimage)];
      const { segment } = found;
      for (let at = 0; at < segment.length; at += CHUNK_BYTES_MAX)
        parts.push(segment.subarray(at, at + CHUNK_BYTES_MAX));
      return parts.length <= SYNC_CHUNKS_MAX ? parts : undefined;
    },
    chunkById,
  };
}
