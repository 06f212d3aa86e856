/**
 * Dissemination: transactions on their way into blocks, ahead of consensus (Vryx).
 *
 *   client, peers --> intake --> pool --> ready --> producer --> chunk to all --> acks --> certificate --> ATTESTED
 *                        \--> forwarder --> home validator
 *   producers, sync --> chunk intake --> store --> storage ack
 *   leader: store, certificates --> payload builder --> block          voter: payload check --> block is valid here
 *
 * parts.ts builds the parts, reactions.ts connects them. Invariants D1 to D3: docs/protocol/dissemination.md.
 */
import type { PeerKey } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import {
  type Block,
  type BlockId,
  type ChunkId,
  type ChunkReference,
  type EpochRecord,
  hexOf,
  type PreparedTransaction,
} from '@slipstream/types';
import type { OfferBatch, OfferResult } from './batches/batch-offers.ts';
import { openBatch } from './batches/stored-batch.ts';
import { type BlockOutcome, buildOwnPayload, commitBlock, expire, payloadOf, trackBlock } from './blocks.ts';
import type { ChunkRestore } from './chunks/restore.ts';
import type { Components, Setting } from './components.ts';
import { createEpochChange } from './epochs/epoch-change.ts';
import { createEventRelay } from './events.ts';
import type { SubmitResult } from './intake/submit-result.ts';
import { DISSEMINATION_LIMITS } from './limits.ts';
import { reportGauges } from './metrics/gauges.ts';
import { type DisseminationStats, statsOf } from './metrics/stats.ts';
import { createParts, type DisseminationParts } from './parts.ts';
import { createPendingReport } from './pending-report.ts';
import { type TransactionState, transactionStatus } from './pool/transaction-status.ts';
import type { PayloadRequest } from './proposals/payload-builder.ts';
import type { PayloadChunk, PayloadVerdict } from './proposals/payload-check.ts';
import { createReactions } from './reactions.ts';

export type { BlockOutcome };

export interface Dissemination {
  /** Never rejects for the bytes. `source`: the address that pays for the signature check. */
  submit(bytes: Uint8Array, source?: string): Promise<SubmitResult>;
  /** One result each, in order. */
  submitMany(transactions: readonly Uint8Array[], source?: string): Promise<readonly SubmitResult[]>;
  /** A batch of the broker `broker` at this node: for the next chunk, or for a producer. */
  offerBatch: OfferBatch;
  /** Batches of a broker here may come into a chunk: of this node, or of a connected one. */
  reachesProducer(): boolean;
  /** The account directory has what a final block registered: batches that wait for it are judged. */
  directoryGrew(): void;
  status(idHex: string): TransactionState;
  /**
   * A client looks for it: `attested` is reported as soon as this node can know, at the cost of a check of its chunk's certificate.
   * `isAwaited`: the client waits for `attested`, so the chunk that will hold the transaction asks for storage acks.
   */
  awaitAttestation(idHex: string, isAwaited: boolean): void;
  hasPending(): boolean;

  /** Frames with their kind byte. None rejects for what a peer sent. */
  onTransactions(from: PeerKey, frame: Uint8Array): Promise<void>;
  onChunk(from: PeerKey, frame: Uint8Array): Promise<void>;
  onBatchOffer(from: PeerKey, frame: Uint8Array): Promise<void>;
  onBatchAnswer(from: PeerKey, frame: Uint8Array): void;
  onChunkAck(from: PeerKey, frame: Uint8Array): void;
  onChunkCertified(from: PeerKey, frame: Uint8Array): Promise<void>;

  /** Rejects on a node that is no member of the epoch. */
  buildPayload(request: PayloadRequest): Promise<readonly ChunkReference[]>;
  checkPayload(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict>;
  /** A quorum voted for the block, so a quorum stores its chunks. The block may be unknown yet. */
  notarized(blockId: BlockId): void;
  /** Ancestors are known; the payload may be unchecked. */
  trackBlock(blockId: BlockId, block: Block): void;
  /** For the executor: chunks with all signatures judged. Tracks the block. Rejects with the signal's reason. */
  payloadOf(blockId: BlockId, block: Block, signal: AbortSignal): Promise<readonly PayloadChunk[]>;
  /** In order; empty unless the chunk is pending. Lower-case hex, no prefix. */
  idsOf(chunkId: ChunkId): readonly string[];
  /** Undefined: not here. */
  transactionsOf(chunkId: ChunkId): Promise<readonly PreparedTransaction[] | undefined>;
  /** Serialized signed chunk. */
  chunkById(chunkId: ChunkId): Promise<Uint8Array | undefined>;

  /** The next epoch's record is certified: its members' chunks are stored. No effect for another epoch. */
  sealed(record: EpochRecord): void;
  /**
   * `epochs.now()` is another epoch, and its record and the end of the one before are known. Before the first block of the epoch is built
   * or checked here.
   */
  moved(): void;

  /** In order of height; calls `expire`. At start for all committed blocks of the last 60 s, against replays and repeated references. */
  committed(blockId: BlockId, block: Block, outcome: BlockOutcome): void;
  /** By block timestamp. */
  expire(timestampMs: number): void;
  /** At start, before any frame (restore.ts). */
  restoreOwnHeader: ChunkRestore['ownHeader'];
  restoreChunk: ChunkRestore['chunk'];
  /** After all records and recent committed blocks. */
  restored(): void;
  /** Accepted or to be resubmitted, and in no pending chunk: what a start on the same folder would not have. */
  pooled(): readonly Uint8Array[];
  /** Submits them soon, and again while they are refused for now. */
  resubmit(transactions: readonly Uint8Array[]): void;
  /** Earlier log records are not needed; undefined: none is. */
  logFloor(): number | undefined;
  stats(): DisseminationStats;
  /** Idempotent. Rejects every pending promise. */
  stop(): void;
}

function awaitAttestation(parts: DisseminationParts, idHex: string, isAwaited: boolean): void {
  const { waits, ready, certificates, wishes } = parts;
  waits.add(idHex);
  for (const chunk of ready.chunksOf(idHex)) certificates.verifyDeferred(chunk);
  if (isAwaited) wishes.add(idHex, undefined);
}

/** A node outside the committee packs nothing. */
async function offerBatch(parts: DisseminationParts, bytes: Uint8Array, broker: PeerKey): Promise<OfferResult> {
  const { batchRules, committees, batchForwarder, batchOffers } = parts;
  if (committees.current.self !== undefined || batchRules === undefined) return batchOffers.offer(bytes, broker);
  const opened = openBatch(bytes, batchRules.genesisHash);
  if (!opened.ok) return { type: 'rejected', reason: 'malformed', retryAfterMs: undefined };
  return batchForwarder.offer(opened.value);
}

export function createDissemination(components: Components, setting: Setting): Dissemination {
  const relay = createEventRelay();
  const limited = { ...setting, limits: { ...DISSEMINATION_LIMITS, ...setting.limits } };
  const parts = createParts(components, limited, relay.events);
  const pending = createPendingReport(parts);
  const change = createEpochChange(parts);
  relay.connect(createReactions(parts, pending, change, limited));
  const { intake, chunks, store, lookup, payloads, restore } = parts;

  async function submit(bytes: Uint8Array, source?: string): Promise<SubmitResult> {
    const [result] = await intake.submit([bytes], source);
    assert(result !== undefined, 'there is one result a transaction');
    return result;
  }

  async function transactionsOf(chunkId: ChunkId): Promise<readonly PreparedTransaction[] | undefined> {
    const chunk = await lookup.find(chunkId);
    return chunk && chunks.prepare(chunk);
  }

  return {
    submit,
    submitMany: intake.submit,
    async offerBatch(bytes, broker) {
      const result = await offerBatch(parts, bytes, broker);
      pending.update();
      return result;
    },
    directoryGrew: () => parts.judge?.directoryGrew(),
    status: (idHex) => transactionStatus(idHex, parts),
    awaitAttestation: (idHex, isAwaited) => awaitAttestation(parts, idHex, isAwaited),
    hasPending: pending.hasPending,
    reachesProducer: () => parts.committees.current.self !== undefined || parts.batchForwarder.reachesProducer(),
    onTransactions: intake.onTransactions,
    async onBatchOffer(from, frame) {
      await parts.onBatchOffer(from, frame);
      pending.update();
    },
    onBatchAnswer: parts.batchForwarder.onAnswer,
    onChunk: chunks.onChunk,
    onChunkAck: (from, frame) => parts.producer.certifier.onAck(from, frame),
    onChunkCertified: parts.certificates.onFrame,
    buildPayload: (request) => buildOwnPayload(parts, request),
    checkPayload: payloads.check,
    notarized: parts.attestation.notarized,
    trackBlock: (blockId, block) => trackBlock(parts, blockId, block),
    payloadOf: (blockId, block, signal) => payloadOf(parts, { blockId, block }, signal),
    idsOf: (chunkId) => store.get(hexOf(chunkId))?.ids ?? [],
    transactionsOf,
    chunkById: lookup.bytesOf,
    sealed: parts.committees.sealed,
    moved: change.moved,
    committed(blockId, block, outcome) {
      commitBlock(parts, blockId, block, outcome);
      pending.update();
      reportGauges(parts);
    },
    expire: (timestampMs) => expire(parts, timestampMs),
    restoreOwnHeader: restore.ownHeader,
    restoreChunk: restore.chunk,
    restored: restore.done,
    pooled: change.pooled,
    resubmit: change.resubmit,
    logFloor: store.logFloor,
    stats: () => statsOf(parts),
    stop() {
      change.stop();
      parts.judge?.stop();
      parts.batchForwarder.stop();
      parts.producer.stop();
      parts.ackSchedule.stop();
      parts.certificates.stop();
      parts.ready.stop();
      parts.resender.stop();
      parts.forwarder.stop();
      parts.missingChunks.stop();
    },
  };
}
