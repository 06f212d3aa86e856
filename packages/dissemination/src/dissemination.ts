/**
 * Dissemination: transactions on their way into blocks.
 *
 *   client, peers --> intake --> pool --> chunk builder --> store --> payload --> block
 *                        \--> forwarder --> validators         ^
 *   producers, sync ----------------------> chunk intake ------/
 *
 * In this form a leader packs one chunk from its own pool as it proposes, and validators forward transactions to each other.
 * Ids, headers, frames and the log's records are those of certified chunks, which come in beside the builder (acks), the store
 * (promises) and the payload (references of others).
 */
import type { PeerKey } from '@slipstream/ports';
import {
  type Block,
  type BlockId,
  blockIdOf,
  type ChunkId,
  genesisBlock,
  hexOf,
  type PreparedTransaction,
  type SkipReason,
  type TransactionId,
} from '@slipstream/types';
import { openChunk } from './chunk.ts';
import { createChunkBuilder } from './chunk-builder.ts';
import { createChunkIntake } from './chunk-intake.ts';
import { createChunkStore, type StoredChunk } from './chunk-store.ts';
import { createChunkWants } from './chunk-wants.ts';
import type { Components, Setting } from './components.ts';
import { createForwarder } from './forwarder.ts';
import { createIntake, type SubmitResult } from './intake.ts';
import { createMempool } from './mempool.ts';
import { createPayloads, type PayloadRequest, type PayloadVerdict } from './payload.ts';
import { createRecent, type EndReason } from './recent.ts';
import { createReferenceBook } from './reference-book.ts';
import { createResender } from './resender.ts';
import { createSignatureChecks } from './signature-checks.ts';
import { createTally, type DropReason } from './tally.ts';

export type TransactionState =
  | { readonly status: 'pending'; readonly expiryMs: number }
  /** Executed by a committed block of the last 60 s; older ones are the ledger's to know. */
  | { readonly status: 'included' }
  | { readonly status: 'dropped'; readonly reason: EndReason }
  | { readonly status: 'unknown' };

/** What a committed block did with its transactions, as the executor reports it. */
export interface BlockOutcome {
  /** Lower-case hex, no prefix. */
  readonly executedIds: readonly string[];
  readonly skipped: readonly { readonly id: TransactionId; readonly reason: SkipReason }[];
}

/** As the executor takes them. */
export interface PayloadChunk {
  readonly producer: number;
  readonly transactions: readonly PreparedTransaction[];
}

export interface DisseminationStats {
  readonly pool: { readonly transactions: number; readonly bytes: number; readonly checking: number };
  readonly chunks: { readonly pending: number; readonly pendingBytes: number; readonly retained: number };
  readonly wantedChunks: number;
  readonly notedBlocks: number;
  readonly signatures: { readonly batches: number; readonly signatures: number; readonly known: number };
  readonly drops: Readonly<Partial<Record<DropReason, number>>>;
}

export interface Dissemination {
  /** A client's transaction. Never rejects for what the bytes are. */
  submit(bytes: Uint8Array): Promise<SubmitResult>;
  status(idHex: string): TransactionState;
  hasPending(): boolean;

  /** Frames, kind byte included. They never reject for what a peer sent. */
  onTransactions(from: PeerKey, frame: Uint8Array): Promise<void>;
  onChunk(from: PeerKey, frame: Uint8Array): Promise<void>;

  buildPayload(request: PayloadRequest): ReturnType<ReturnType<typeof createPayloads>['build']>;
  checkPayload(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict>;
  /** A block whose ancestors are known, whether or not its payload was checked here: own proposals, synced blocks. */
  noteBlock(blockId: BlockId, block: Block): void;
  /**
   * What the executor takes: every chunk here, every signature judged. Notes the block. Waits; rejects with the signal's
   * reason.
   */
  payloadOf(blockId: BlockId, block: Block, signal: AbortSignal): Promise<readonly PayloadChunk[]>;
  /** Undefined when the chunk is not here. */
  transactionsOf(chunkId: ChunkId): Promise<readonly PreparedTransaction[] | undefined>;
  /** Serialized signed chunk, for peers that ask. */
  chunkById(chunkId: ChunkId): Promise<Uint8Array | undefined>;

  /**
   * In order of height. Settles pool, chunks and references; expires what the block's timestamp passes. At start it is called
   * for the committed blocks of the last 60 s (by block timestamp), all of them: replays and chunks referenced twice are known
   * by them.
   */
  committed(blockId: BlockId, block: Block, outcome: BlockOutcome): void;
  /** By executed time: see committed, which calls it. */
  expire(timestampMs: number): void;
  /** A `chunk` record of the log, at start, before any frame. False when it is damaged or foreign. */
  restoreChunk(record: Uint8Array, logSequence: number): boolean;
  /** Records of the log below this are not needed here; undefined: none is. */
  logFloor(): number | undefined;
  stats(): DisseminationStats;
  /** Idempotent. Whoever waits is told. */
  stop(): void;
}

export function createDissemination(components: Components, setting: Setting): Dissemination {
  const { clock, transport, telemetry, reports, rules, verifier, wal, signer } = components;
  const { genesis, genesisHash, committee, memberIndex, limits } = setting;
  const tally = createTally(telemetry);
  const pool = createMempool(limits);
  const recent = createRecent(limits);
  const signatures = createSignatureChecks({ verifier, clock }, limits);
  const forwarder = createForwarder({ transport, clock, tally }, { committee, memberIndex }, limits);
  const intake = createIntake(
    { ...components, pool, recent, signatures, forwarder, tally },
    { ...setting, rules },
    limits,
  );
  const store = createChunkStore(limits);
  const genesisId = blockIdOf(genesisBlock(genesisHash, genesis.timestampMs));
  const book = createReferenceBook(genesisId, limits, tally);
  const wants = createChunkWants(
    {
      clock,
      here,
      fetchChunk: components.fetchChunk,
      take: (chunkId, bytes, from) => chunks.takeServed(chunkId, bytes, from),
    },
    limits,
  );
  const chunks = createChunkIntake(
    { verifier, wal, clock, rules, reports, store, signatures, tally, telemetry, arrived: wants.arrived },
    { committee, genesisHash, memberIndex },
  );
  const builder =
    signer === undefined || memberIndex === undefined
      ? undefined
      : createChunkBuilder(
          { signer, wal, transport, telemetry, reserveSequence: components.reserveSequence, take: chunks.takeOwn },
          { genesisHash, memberIndex, firstSequence: setting.firstSequence },
        );
  const payloads = createPayloads({ pool, store, book, wants, verifier, builder }, setting);
  const resender = createResender({ clock, pool, forwarder }, { memberIndex }, limits);

  function drop(id: string, reason: EndReason): void {
    if (!pool.remove(id)) return;
    tally.drop(reason);
    recent.dropped(id, reason);
  }

  function expire(timestampMs: number): void {
    for (const { id } of pool.expire(timestampMs)) {
      tally.drop('expired');
      recent.dropped(id, 'expired');
    }
    store.expire(timestampMs, book.isReferenced);
  }

  function committed(blockId: BlockId, block: Block, { executedIds, skipped }: BlockOutcome): void {
    const hadPending = pool.count > 0;
    recent.included(executedIds, block.timestampMs);
    for (const id of executedIds) pool.remove(id);
    for (const { id, reason } of skipped) {
      if (isEnd(reason)) drop(hexOf(id), reason);
      else if (reason === 'duplicate' || reason === 'chunk-duplicate') pool.remove(hexOf(id));
    }
    book.commit(blockId, block);
    for (const { chunkId } of block.payload) store.commit(hexOf(chunkId));
    expire(block.timestampMs);
    if (hadPending && pool.count === 0) reports.pendingChanged(false);
    reportGauges();
  }

  function reportGauges(): void {
    telemetry.gauge('dissemination_pool_transactions', pool.count);
    telemetry.gauge('dissemination_pool_bytes', pool.bytes);
    telemetry.gauge('dissemination_chunks_pending_bytes', store.stats().pendingBytes);
  }

  function status(idHex: string): TransactionState {
    const pooled = pool.get(idHex);
    if (pooled) return { status: 'pending', expiryMs: pooled.expiryMs };
    if (recent.isIncluded(idHex)) return { status: 'included' };
    const reason = recent.dropReason(idHex);
    return reason ? { status: 'dropped', reason } : { status: 'unknown' };
  }

  async function chunkById(chunkId: ChunkId): Promise<Uint8Array | undefined> {
    return store.bytesOf(hexOf(chunkId)) ?? (await components.loadChunk?.(chunkId));
  }

  /** From memory; what is committed is opened again. */
  function here(chunkId: ChunkId): StoredChunk | undefined {
    const hex = hexOf(chunkId);
    const bytes = store.get(hex) === undefined ? store.bytesOf(hex) : undefined;
    return bytes ? reopen(bytes) : store.get(hex);
  }

  function reopen(bytes: Uint8Array): StoredChunk | undefined {
    const opened = openChunk(bytes, { committee, rules });
    return opened.ok ? { ...opened.value, logSequence: 0 } : undefined;
  }

  async function transactionsOf(chunkId: ChunkId): Promise<readonly PreparedTransaction[] | undefined> {
    const known = here(chunkId);
    if (known) return chunks.prepared(known);
    const bytes = await components.loadChunk?.(chunkId);
    const loaded = bytes && reopen(bytes);
    return loaded && chunks.prepared(loaded);
  }

  async function payloadOf(blockId: BlockId, block: Block, signal: AbortSignal): Promise<readonly PayloadChunk[]> {
    book.note(blockId, block);
    const stored: readonly StoredChunk[] = await payloads.chunksOf(block, signal);
    return Promise.all(
      stored.map(async (chunk) => ({
        producer: chunk.header.producer,
        transactions: await chunks.prepared(chunk),
      })),
    );
  }

  function restoreChunk(record: Uint8Array, logSequence: number): boolean {
    const opened = openChunk(record.slice(), { committee, rules });
    if (!opened.ok) return false;
    chunks.takeBack(opened.value, logSequence);
    if (opened.value.header.producer === memberIndex) builder?.used(opened.value.header.sequence);
    return true;
  }

  return {
    submit: intake.submit,
    status,
    hasPending: () => pool.count > 0,
    onTransactions: intake.onTransactions,
    onChunk: chunks.onChunk,
    buildPayload: payloads.build,
    checkPayload: payloads.check,
    noteBlock: book.note,
    payloadOf,
    transactionsOf,
    chunkById,
    committed,
    expire,
    restoreChunk,
    logFloor: store.logFloor,
    stats: () => ({
      pool: { transactions: pool.count, bytes: pool.bytes, checking: intake.checking },
      chunks: store.stats(),
      wantedChunks: wants.waiting,
      notedBlocks: book.size,
      signatures: signatures.stats(),
      drops: tally.counts(),
    }),
    stop() {
      resender.stop();
      forwarder.stop();
      wants.stop();
    },
  };
}

/**
 * Skips that will happen again to the same bytes. A bad signature says nothing about the pool's copy, which was verified; what
 * expires too far ahead may be included later.
 */
function isEnd(reason: SkipReason): reason is EndReason {
  return reason === 'expired' || reason === 'max-fee-too-low' || reason === 'fee-not-covered';
}
