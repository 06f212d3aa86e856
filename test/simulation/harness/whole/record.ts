/**
 * Transactions from client to receipt, and the blocks that nodes commit, without any of the nodes' predicates.
 *
 *   N1  an accepted transaction is final once, with a receipt of success, or its expiry passed and it is in no block
 *   N2  no block has a transaction that no client sent, or one past its expiry
 *   N3  all nodes commit the same block and state digest at a height, one height after another
 *   N6  all nodes seal the same record of an epoch by the same block, and end it with the same boundary
 *   N7  of distilled batches: batches.ts
 */
import type { EpochSeal } from '@slipstream/execution';
import type { CommittedBlock } from '@slipstream/pipeline';
import type { PeerKey } from '@slipstream/ports';
import { sha256, toHex } from '@slipstream/primitives';
import {
  type BlockId,
  type ChunkId,
  type Committee,
  committeeOfRecord,
  type EpochEnd,
  type EpochRecord,
  hexOf,
  type Receipt,
  signedChunkCodec,
} from '@slipstream/types';
import { batchesIn, idsIn } from '../disseminating.ts';
import { type BatchTable, createBatchTable } from './batches.ts';
import type { OpenedStores } from './stores.ts';

export interface Sent {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** Pays its fee. */
  readonly account: number;
  /** Undefined: it moves nothing. */
  readonly transfer?: { readonly from: number; readonly to: number };
  /** Its receipt may be of a failure. */
  readonly mayFail?: boolean;
  /** A node may refuse it for good as too large. */
  readonly mayBeOverLimit?: boolean;
  readonly expiryMs: number;
  /** Virtual time. */
  readonly sentMs: number;
}

export interface Place {
  readonly height: number;
  readonly index: number;
}

export interface Join {
  readonly peer: PeerKey;
  readonly height: number;
  readonly when: 'at start' | 'beside';
}

export interface WholeNode extends OpenedStores {
  /** Above it the node committed its blocks itself. */
  readonly begunAt: number;
  /** `accepted`, `known`, or the reason of the refusal. */
  submit(bytes: Uint8Array): Promise<string>;
  /** Of a batch, over the broker's connection; answers as `submit`. */
  offer(bytes: Uint8Array, broker: PeerKey): Promise<string>;
}

export interface CommittedChunk {
  readonly epoch: number;
  readonly producer: number;
  /** Of its transactions. */
  readonly ids: readonly string[];
  /** SHA-256 of the wire forms of its batches. */
  readonly batchKeys: readonly string[];
}

interface CommittedAt {
  readonly blockId: BlockId;
  readonly stateDigest: string;
  readonly epoch: number;
  readonly proposer: number;
  readonly view: number;
  readonly parentView: number;
  readonly chunkIds: readonly ChunkId[];
}

interface Sealed {
  readonly record: EpochRecord;
  readonly committee: Committee;
  readonly hash: string;
  readonly height: number;
}

export interface WholeRecord {
  sent(transaction: Sent): void;
  accepted(id: string): void;
  /** As too large: its client sends it no more. A chunk may bring it to execution. */
  overLimit(id: string): void;
  /** Of a committed block; undefined: it is not here. */
  chunk(id: ChunkId, bytes: Uint8Array | undefined): void;
  committed(peer: PeerKey, block: CommittedBlock): void;
  sealed(peer: PeerKey, seal: EpochSeal): void;
  /** The epoch's boundary is final at this node. */
  ended(peer: PeerKey, end: EpochEnd): void;
  opened(peer: PeerKey, node: WholeNode, tipHeight: number): void;
  /** A state was taken over. */
  joined(peer: PeerKey, height: number, when: Join['when']): void;
  /** Its parts are stopped, and its process goes on. */
  closed(peer: PeerKey): void;
  readonly all: ReadonlyMap<string, Sent>;
  readonly places: ReadonlyMap<string, Place>;
  readonly refused: ReadonlySet<string>;
  readonly blocks: ReadonlyMap<number, CommittedAt>;
  /** By chunk id in hex. */
  readonly chunks: ReadonlyMap<string, CommittedChunk>;
  /** By the number of the sealed epoch: from 1 on. */
  readonly seals: ReadonlyMap<number, Sealed>;
  /** Heights of boundaries, by epoch. */
  readonly boundaries: ReadonlyMap<number, number>;
  /** Virtual times at which the first node ended each epoch. */
  readonly endedMs: ReadonlyMap<number, number>;
  /** Virtual times at which the first node had a receipt, by transaction. */
  readonly finalMs: ReadonlyMap<string, number>;
  readonly joins: readonly Join[];
  readonly batches: BatchTable;
  readonly violations: readonly string[];
  violated(what: string): void;
  node(peer: PeerKey): WholeNode | undefined;
  /** Of a final transaction. */
  receiptOf(id: string): Receipt | undefined;
  /** A block past its expiry is committed, and no block has it. */
  hasExpired(id: string): boolean;
  heightOf(peer: PeerKey): number;
  /** Accepted, without a receipt, and not yet expired. */
  waiting(nowMs: number): readonly Sent[];
  /** Accepted, without a receipt, and expired. */
  expired(nowMs: number): readonly Sent[];
}

export function createWholeRecord(nowMs: () => number): WholeRecord {
  const all = new Map<string, Sent>();
  /** Accepted, without a receipt. */
  const unsettled = new Set<string>();
  const places = new Map<string, Place>();
  const blocks = new Map<number, CommittedAt>();
  const seals = new Map<number, Sealed>();
  const boundaries = new Map<number, number>();
  const endedMs = new Map<number, number>();
  const finalMs = new Map<string, number>();
  let newestMs = 0;
  const ends = new Map<number, string>();
  const receipts = new Map<string, Receipt>();
  const joins: Join[] = [];
  const refused = new Set<string>();
  const chunks = new Map<string, CommittedChunk>();
  const nodes = new Map<PeerKey, WholeNode>();
  const heights = new Map<PeerKey, number>();
  const violations: string[] = [];
  const violated = (what: string) => void violations.push(what);
  const batches = createBatchTable(violated);

  function receipt(found: Receipt, place: Place, timestampMs: number): void {
    const id = hexOf(found.transactionId);
    const succeeded = found.outcome.status === 'success';
    const transaction = all.get(id);
    const known = places.get(id) ?? place;
    if (!finalMs.has(id)) finalMs.set(id, nowMs());
    places.set(id, known);
    receipts.set(id, found);
    unsettled.delete(id);
    const at = `transaction ${id.slice(0, 8)} at height ${place.height}`;
    if (known.height !== place.height || known.index !== place.index) violations.push(`N1: ${at} is final twice`);
    if (!succeeded && transaction?.mayFail !== true) violations.push(`N1: ${at} failed`);
    if (transaction === undefined) violations.push(`N2: ${at} was never sent`);
    else if (timestampMs >= transaction.expiryMs) violations.push(`N2: ${at} was expired`);
  }

  const unsettledWhere = (which: (sent: Sent) => boolean) =>
    [...unsettled].map((id) => all.get(id) as Sent).filter(which);

  return {
    sent: (transaction) => void all.set(transaction.id, transaction),
    accepted(id) {
      if (!places.has(id) && !refused.has(id)) unsettled.add(id);
    },
    overLimit(id) {
      refused.add(id);
      unsettled.delete(id);
      if (all.get(id)?.mayBeOverLimit !== true) violations.push(`N1: ${id.slice(0, 8)} is refused as too large`);
    },
    chunk(id, bytes) {
      const chunk = bytes && signedChunkCodec.decode(bytes);
      if (!chunk?.ok) return;
      const { epoch, producer } = chunk.value.header;
      const batchKeys = batchesIn(bytes).map((batch) => toHex(sha256(batch)));
      chunks.set(hexOf(id), { epoch, producer, ids: idsIn(bytes), batchKeys });
    },
    committed(peer, committed) {
      const { blockId, block, receipts: found, stateDigest } = committed;
      const { height, timestampMs, epoch, view, parentView, proposer, payload } = block;
      if (height !== (heights.get(peer) ?? 0) + 1) violations.push(`N3: ${peer.slice(0, 8)} skips to height ${height}`);
      heights.set(peer, height);
      const chunkIds = payload.map(({ chunkId }) => chunkId);
      const made = { blockId, stateDigest: hexOf(stateDigest), epoch, proposer, view, parentView, chunkIds };
      const known = blocks.get(height) ?? made;
      blocks.set(height, known);
      if (hexOf(known.blockId) !== hexOf(blockId)) violations.push(`N3: two blocks are committed at ${height}`);
      if (known.stateDigest !== hexOf(stateDigest)) violations.push(`N3: two states are committed at ${height}`);
      batches.committed(committed);
      newestMs = Math.max(newestMs, timestampMs);
      for (const [index, each] of found.entries()) receipt(each, { height, index }, timestampMs);
      const last = boundaries.get(epoch);
      if (last !== undefined && height > last) violations.push(`N6: block ${height} is past the end of epoch ${epoch}`);
    },
    sealed(peer, { record, recordHash, height }) {
      const made = { record, committee: committeeOfRecord(record), hash: hexOf(recordHash), height };
      const known = seals.get(record.epoch) ?? made;
      seals.set(record.epoch, known);
      const isSame = known.hash === made.hash && known.height === height;
      if (!isSame) violations.push(`N6: ${peer.slice(0, 8)} seals another record of epoch ${record.epoch}`);
    },
    ended(peer, { block, blockId }) {
      const { epoch, height, next } = block;
      const known = ends.get(epoch) ?? hexOf(blockId);
      ends.set(epoch, known);
      boundaries.set(epoch, height);
      if (!endedMs.has(epoch)) endedMs.set(epoch, nowMs());
      if (known !== hexOf(blockId)) violations.push(`N6: ${peer.slice(0, 8)} ends epoch ${epoch} with another block`);
      const isNamed = next !== undefined && seals.get(epoch + 1)?.hash === hexOf(next);
      if (!isNamed) violations.push(`N6: the boundary of epoch ${epoch} names another record`);
    },
    opened(peer, node, tipHeight) {
      const before = heights.get(peer) ?? 0;
      if (tipHeight < before)
        violations.push(`N3: ${peer.slice(0, 8)} had committed ${before}, begins at ${tipHeight}`);
      nodes.set(peer, node);
      heights.set(peer, tipHeight);
    },
    joined: (peer, height, when) => void joins.push({ peer, height, when }),
    closed: (peer) => void nodes.delete(peer),
    all,
    places,
    blocks,
    seals,
    boundaries,
    endedMs,
    finalMs,
    joins,
    refused,
    chunks,
    batches,
    violations,
    violated,
    hasExpired(id) {
      const expiryMs = all.get(id)?.expiryMs ?? Number.POSITIVE_INFINITY;
      return newestMs > expiryMs && !places.has(id);
    },
    receiptOf: (id) => receipts.get(id),
    node: (peer) => nodes.get(peer),
    heightOf: (peer) => heights.get(peer) ?? 0,
    waiting: (nowMs) => unsettledWhere(({ expiryMs }) => nowMs <= expiryMs),
    expired: (nowMs) => unsettledWhere(({ expiryMs }) => nowMs > expiryMs),
  };
}
