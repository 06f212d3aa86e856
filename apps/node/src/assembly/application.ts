/**
 * The application that consensus orders: dissemination brings payloads, the pipeline executes and commits them.
 *
 *   consensus --check, build--> dissemination      consensus --execute, finalized, certified--> pipeline
 *                                    \--chunks----------------------------------------------------^
 */
import type { Application, Archive, SnapshotArchive } from '@slipstream/consensus';
import type { Dissemination, PayloadChunk } from '@slipstream/dissemination';
import type { Ledger } from '@slipstream/ledger';
import type { Pipeline } from '@slipstream/pipeline';
import type { KeyValue } from '@slipstream/ports';
import { type Block, type BlockId, type ChunkId, hexOf } from '@slipstream/types';

/** Chunks of blocks above the committed one, by chunk id: asked for by block, used by the pipeline one by one. */
export interface PayloadDesk {
  /** Begins to gather a block's chunks; repeated calls are one. */
  open(blockId: BlockId, block: Block): void;
  chunkOf(chunkId: ChunkId, signal: AbortSignal): Promise<PayloadChunk>;
  close(blockId: BlockId, block: Block): void;
  stop(): void;
}

export function createPayloadDesk(dissemination: Pick<Dissemination, 'payloadOf' | 'transactionsOf'>): PayloadDesk {
  const abort = new AbortController();
  const open = new Map<string, Promise<readonly PayloadChunk[]>>();
  const blockOfChunk = new Map<string, { readonly block: string; readonly at: number }>();

  function begin(blockId: BlockId, block: Block): void {
    const key = hexOf(blockId);
    if (open.has(key) || block.payload.length === 0) return;
    const payload = dissemination.payloadOf(blockId, block, abort.signal);
    payload.catch(() => {}); // whoever needs a chunk sees it
    open.set(key, payload);
    for (const [at, { chunkId }] of block.payload.entries()) blockOfChunk.set(hexOf(chunkId), { block: key, at });
  }

  return {
    open: begin,
    async chunkOf(chunkId) {
      const place = blockOfChunk.get(hexOf(chunkId));
      const payload = place && (await open.get(place.block));
      const chunk = place && payload?.[place.at];
      if (!chunk) throw new Error(`chunk ${hexOf(chunkId)} is of no block that is being executed`);
      return chunk;
    },
    close(blockId, block) {
      open.delete(hexOf(blockId));
      for (const { chunkId } of block.payload) {
        if (blockOfChunk.get(hexOf(chunkId))?.block === hexOf(blockId)) blockOfChunk.delete(hexOf(chunkId));
      }
    },
    stop() {
      abort.abort();
      open.clear();
      blockOfChunk.clear();
    },
  };
}

export function createApplication(dissemination: Dissemination, pipeline: Pipeline, desk: PayloadDesk): Application {
  return {
    buildPayload: (request) => dissemination.buildPayload(request),
    checkPayload: (blockId, block, signal) => dissemination.checkPayload(blockId, block, signal),
    execute(blockId, block) {
      dissemination.noteBlock(blockId, block);
      desk.open(blockId, block);
      return pipeline.execute(blockId, block);
    },
    notarized: (blockId) => pipeline.notarized(blockId),
    finalized(blockId, block, certificate) {
      desk.open(blockId, block);
      pipeline.finalized(blockId, block, certificate);
    },
    certified: (certificate) => pipeline.certified(certificate),
    hasPending: () => dissemination.hasPending(),
  };
}

export function createArchive(
  ledger: Ledger,
  chunks: KeyValue,
  dissemination: Pick<Dissemination, 'chunkById'>,
  snapshots?: SnapshotArchive,
): Archive {
  return {
    ...(snapshots ? { snapshots } : {}),
    async blockById(id) {
      return (await ledger.block({ id }))?.block;
    },
    async finalizedRange(from, to, limit) {
      const { blocks, certificates } = await ledger.finalizedRange(from, Math.min(to, from + limit - 1));
      return { blocks, certificates };
    },
    async chunkById(id) {
      return (await dissemination.chunkById(id)) ?? (await chunks.get(id));
    },
  };
}
