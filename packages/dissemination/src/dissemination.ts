/**
 * Dissemination: transactions on their way into blocks, ahead of consensus (Vryx).
 *
 *   client, peers --> intake --> pool --> ready --> producer --> chunk to all --> acks --> certificate --> ATTESTED
 *                        \--> forwarder --> home validator
 *   producers, sync --> chunk intake --> store --> storage ack
 *   leader: store, certificates --> payload builder --> block          voter: payload check --> block is valid here
 *
 * INVARIANTS. D1: a certified chunk is retrievable: an ack is a promise to serve it until it is final, or expired unreferenced.
 * D2: a chunk is referenced at most once on a chain. D3: every node judges every transaction's signature itself, as its chunk
 * arrives; a bad one is skipped by all alike, and its packer is an offender.
 */
import { createBudgets, createIssuerMeter, createSessionChecks, type SessionCheckStats } from '@slipstream/crypto';
import type { PeerKey } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import {
  type Block,
  type BlockId,
  blockIdOf,
  type ChunkId,
  type ChunkReference,
  createCredentialMemory,
  genesisBlock,
  hexOf,
  type PreparedTransaction,
  type SkipReason,
  type TransactionId,
} from '@slipstream/types';
import { createBlockRhythm } from './block-rhythm.ts';
import { createCertificates } from './certificates.ts';
import { openChunk } from './chunk.ts';
import { createChunkIntake } from './chunk-intake.ts';
import { type ChunkCounts, createChunkStore, type StoredChunk } from './chunk-store.ts';
import { createChunkWants } from './chunk-wants.ts';
import { createChunkWire } from './chunk-wire.ts';
import { createClientWindow } from './client-window.ts';
import type { Components, Setting } from './components.ts';
import { createDepartures } from './departures.ts';
import { DisseminationError } from './errors.ts';
import { createExecutionRate, unitsOfPayload } from './execution-rate.ts';
import { createFlow, type FlowCounts } from './flow.ts';
import { createForwarder } from './forwarder.ts';
import { reportGauges } from './gauges.ts';
import { createIntake } from './intake.ts';
import { CHUNK_LIFE_MS } from './limits.ts';
import { createMempool } from './mempool.ts';
import { createOptimism } from './optimism.ts';
import { createPayloads, type PayloadChunk, type PayloadVerdict } from './payload.ts';
import { buildPayload, type PayloadRequest } from './payload-builder.ts';
import { createProducer, type ProducerStats } from './producer.ts';
import { createReadyQueue } from './ready-queue.ts';
import { createRecent, type Drop } from './recent.ts';
import { createReferenceBook } from './reference-book.ts';
import { createResender } from './resender.ts';
import { createRestoring, type Restoring } from './restoring.ts';
import { createSignatureChecks } from './signature-checks.ts';
import { createStorageAcks } from './storage-acks.ts';
import type { SubmitResult } from './submit-result.ts';
import { createTally, type DropReason } from './tally.ts';
import { createValidatorsWord } from './validators-word.ts';

export type TransactionState =
  | { readonly status: 'pending'; readonly expiryMs: number }
  /** Executed by a committed block of the last 60 s; older ones are the ledger's to know. */
  | { readonly status: 'included' }
  /** Out of the pool. Unless its reason is `expired`, a block with a timestamp before its expiry may still execute it. */
  | ({ readonly status: 'dropped' } & Drop)
  | { readonly status: 'unknown' };

/** What a committed block did with its transactions, as the executor reports it. */
export interface BlockOutcome {
  /** Lower-case hex, no prefix. */
  readonly executedIds: readonly string[];
  readonly skipped: readonly { readonly id: TransactionId; readonly reason: SkipReason }[];
  /** How long executing it took here; undefined: in an earlier life of the node, or nobody measured. */
  readonly executeMs?: number | undefined;
}

export interface DisseminationStats {
  readonly pool: { readonly transactions: number; readonly bytes: number; readonly checking: number };
  readonly flow: FlowCounts;
  readonly chunks: ChunkCounts;
  /** Of the own producer; undefined on a full node. */
  readonly producer: ProducerStats | undefined;
  readonly ready: number;
  readonly wantedChunks: number;
  readonly notedBlocks: number;
  readonly signatures: { readonly batches: number; readonly signatures: number; readonly joined: number };
  /** What clients may have on its way here, and have. */
  readonly clients: { readonly window: number; readonly underWay: number };
  readonly sessions: SessionCheckStats;
  readonly drops: Readonly<Partial<Record<DropReason, number>>>;
}

export interface Dissemination {
  /** A client's transaction. Never rejects for what the bytes are. `source`: on whose account its signature is checked. */
  submit(bytes: Uint8Array, source?: string): Promise<SubmitResult>;
  /** Many at once, one result each: cheaper than one by one. */
  submitMany(transactions: readonly Uint8Array[], source?: string): Promise<readonly SubmitResult[]>;
  status(idHex: string): TransactionState;
  hasPending(): boolean;

  /** Frames, kind byte included. They never reject for what a peer sent. */
  onTransactions(from: PeerKey, frame: Uint8Array): Promise<void>;
  onChunk(from: PeerKey, frame: Uint8Array): Promise<void>;
  onChunkAck(from: PeerKey, frame: Uint8Array): void;
  onChunkCertified(from: PeerKey, frame: Uint8Array): Promise<void>;

  /** Rejects on a full node. */
  buildPayload(request: PayloadRequest): Promise<readonly ChunkReference[]>;
  checkPayload(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict>;
  /** A block whose ancestors are known, whether or not its payload was checked here: own proposals, synced blocks. */
  noteBlock(blockId: BlockId, block: Block): void;
  /**
   * What the executor takes: every chunk here, every signature judged. Notes the block. Waits; rejects with the signal's
   * reason.
   */
  payloadOf(blockId: BlockId, block: Block, signal: AbortSignal): Promise<readonly PayloadChunk[]>;
  /** Ids of a chunk's transactions, in order; none when it is not pending here. Lower-case hex, no prefix. */
  idsOf(chunkId: ChunkId): readonly string[];
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
  /** Chunk records of the log, at start, before any frame (restoring.ts). */
  restoreOwnHeader: Restoring['ownHeader'];
  restoreChunk: Restoring['chunk'];
  /** After them and the committed blocks of late. */
  restored(): void;
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
  const flow = createFlow();
  const pool = createMempool(limits, committee);
  const recent = createRecent(limits, setting.hashKey);
  const chain = { genesis, genesisHash, committee };
  const credentials = createCredentialMemory();
  const chunkRules = { committee, rules, unitsMax: genesis.fees.limits, credentials };
  const sessions = createSessionChecks(verifier, chain, credentials);
  const signatures = createSignatureChecks({ verifier, sessions, clock }, limits);
  const meter = createIssuerMeter({ monotonicMs: clock.monotonicMs });
  const window = createClientWindow({ clock }, limits);
  const rhythm = createBlockRhythm({ clock });
  const executionRate = createExecutionRate({ ...limits, unitLimits: genesis.fees.limits });
  const budgets = createBudgets(() => clock.monotonicMs(), limits.credentials);
  const forwarder = createForwarder({ transport, clock, tally, rhythm }, { committee, memberIndex }, limits);
  const ready = createReadyQueue(
    {
      ...{ clock, pool },
      isCertified: (hex) => certificates.of(hex) !== undefined,
      isReferenced: (hex) => book.isReferenced(hex),
      onReady: () => producer?.packer.poke(),
    },
    { ...limits, blockUnits: genesis.fees.limits },
  );
  const word = createValidatorsWord({ clock }, committee);
  const departures = createDepartures({ clock, rules, pool, ready, window, recent, flow, tally, word });
  const intake = createIntake(
    {
      ...{ ...components, pool, recent, signatures, credentials, budgets, meter, window, forwarder, word, tally, flow },
      isEnclosed: ready.isEnclosed,
      isCongested: () => producer?.isBehind() === true,
      accepted(entry, packAfterMs) {
        if (entry.peer === undefined) window.accepted();
        if (memberIndex !== undefined) ready.add(entry, packAfterMs ?? limits.homeFallbackMs);
        notePending();
      },
    },
    { ...setting, rules },
    limits,
  );
  const optimism = createOptimism({ clock }, limits);
  const wire = createChunkWire(components.compression, limits);
  const store = createChunkStore(limits, memberIndex === undefined ? committee.members.length : 1, ({ hex }) => {
    producer?.certifier.forget(hex);
    acks?.forget(hex);
    certificates.forget(hex);
    ready.release(hex);
  });
  const certificates = createCertificates(
    {
      ...{ verifier, clock, reports, tally, store, optimism, rhythm, certified },
      isReferenced: (hex) => book.isReferenced(hex),
    },
    { committee, genesisHash, memberIndex },
    limits,
  );
  const genesisId = blockIdOf(genesisBlock(genesisHash, genesis.timestampMs));
  const book = createReferenceBook(genesisId, limits, tally);
  const wants = createChunkWants(
    { clock, here, fetchChunk: components.fetchChunk, take: (id, bytes, from) => chunks.takeServed(id, bytes, from) },
    limits,
  );
  const acks =
    signer && memberIndex !== undefined
      ? createStorageAcks({ signer, wal, transport }, { genesisHash, memberIndex })
      : undefined;
  const chunks = createChunkIntake(
    {
      ...{ verifier, wal, clock, reports, store, signatures, tally, telemetry, wire, arrived },
      acknowledge: acks?.acknowledge,
      judged({ hex, header, origin }, goodIds) {
        ready.enclose(hex, goodIds, header.producer === memberIndex && origin === 'producer');
      },
    },
    { chunkRules, genesisHash, memberIndex },
    limits,
  );
  const producer = createProducer(
    { ...components, store, ready, wire, certificates, optimism, chunks, rhythm, executionRate },
    setting,
  );
  const restoring = createRestoring({ store, chunks, producer }, { chunkRules });
  const payloads = createPayloads({ book, wants, certificates, optimism }, setting);
  const resender = createResender({ clock, pool, forwarder }, { memberIndex }, limits);
  let toldPending = false;

  function hasPending(): boolean {
    return pool.count > 0 || store.stats().pending > 0;
  }

  function notePending(): void {
    if (hasPending() === toldPending) return;
    toldPending = !toldPending;
    reports.pendingChanged(toldPending);
  }

  function arrived(chunk: StoredChunk): void {
    wants.arrived(chunk);
    if (certificates.of(chunk.hex)) attest(chunk);
    notePending();
  }

  function certified(chunkId: ChunkId, { signers }: { readonly signers: readonly number[] }): void {
    const chunk = store.get(hexOf(chunkId));
    if (chunk) return attest(chunk);
    // A node that is behind will ask as it executes; what it needs now comes first.
    if (store.isCommitted(hexOf(chunkId)) || wants.waiting >= limits.chunkFetchesMax) return;
    const holders = signers.flatMap((index) => committee.members[index]?.peerKey ?? []);
    const outdated = new AbortController();
    const cancel = clock.after(CHUNK_LIFE_MS, () => outdated.abort());
    wants.want(chunkId, holders, outdated.signal).then(cancel, cancel); // whoever executes it will ask, if it comes to that
  }

  function attest({ id, header, ids }: StoredChunk): void {
    const sinceCreatedMs = Math.max(0, clock.wallMs() - header.createdMs);
    reports.attested?.({ chunkId: id, producer: header.producer, transactionIds: ids, sinceCreatedMs });
  }

  async function submit(bytes: Uint8Array, source?: string): Promise<SubmitResult> {
    const [result] = await intake.submit([bytes], source);
    assert(result !== undefined, 'there is one result a transaction');
    return result;
  }

  function expire(timestampMs: number): void {
    departures.expire(timestampMs);
    store.expire(timestampMs, book.isReferenced);
  }

  function noteBlock(blockId: BlockId, block: Block): void {
    book.note(blockId, block);
    optimism.noted(block);
  }

  async function build(request: PayloadRequest): Promise<readonly ChunkReference[]> {
    if (memberIndex === undefined) {
      throw new DisseminationError('not-a-validator', 'a full node builds no payloads', {});
    }
    if (committee.members.length === 1) await producer?.packer.flush(); // nobody to send it to first
    const parts = { store, book, certificates, optimism, telemetry, nowMs: clock.monotonicMs };
    const bounds = { unitLimits: genesis.fees.limits, timelyUnits: executionRate.timelyUnits };
    return buildPayload(parts, { committee, ...bounds, orphanMs: limits.orphanMs }, request);
  }

  function committed(blockId: BlockId, block: Block, { executedIds, skipped, executeMs }: BlockOutcome): void {
    rhythm.committed(block.payload.length > 0);
    executionRate.executed(unitsOfPayload(store, block.payload), executeMs);
    departures.committed(executedIds, skipped, block.timestampMs);
    book.commit(blockId, block);
    optimism.noted(block);
    for (const { chunkId } of block.payload) store.commit(hexOf(chunkId));
    expire(block.timestampMs);
    notePending();
    reportGauges({ telemetry, pool, window, ready, store, sessions, budgets, credentials, producer, executionRate });
  }

  function status(idHex: string): TransactionState {
    const pooled = pool.get(idHex);
    if (pooled) return { status: 'pending', expiryMs: pooled.expiryMs };
    if (recent.isIncluded(idHex)) return { status: 'included' };
    const drop = recent.dropOf(idHex);
    return drop ? { status: 'dropped', ...drop } : { status: 'unknown' };
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
    const opened = openChunk(bytes, chunkRules);
    if (!opened.ok) return undefined;
    const { transactions, ...unopened } = opened.value;
    const ids = transactions.map(({ id }) => hexOf(id));
    return { ...unopened, logSequence: 0, origin: 'served', ids, arrivedMs: clock.monotonicMs() };
  }

  async function transactionsOf(chunkId: ChunkId): Promise<readonly PreparedTransaction[] | undefined> {
    const known = here(chunkId);
    if (known) return chunks.prepared(known);
    const bytes = await components.loadChunk?.(chunkId);
    const loaded = bytes && reopen(bytes);
    return loaded && chunks.prepared(loaded);
  }

  async function payloadOf(blockId: BlockId, block: Block, signal: AbortSignal): Promise<readonly PayloadChunk[]> {
    noteBlock(blockId, block);
    const stored: readonly StoredChunk[] = await payloads.chunksOf(block, signal);
    return Promise.all(
      stored.map(async (chunk) => ({
        producer: chunk.header.producer,
        bytes: chunk.bytes,
        ids: chunk.ids,
        verdicts: await chunks.verdicts(chunk),
      })),
    );
  }

  return {
    submit,
    submitMany: intake.submit,
    status,
    hasPending,
    onTransactions: intake.onTransactions,
    onChunk: chunks.onChunk,
    onChunkAck: (from, frame) => producer?.certifier.onAck(from, frame),
    onChunkCertified: certificates.onFrame,
    buildPayload: build,
    checkPayload: payloads.check,
    noteBlock,
    payloadOf,
    idsOf: (chunkId) => store.get(hexOf(chunkId))?.ids ?? [],
    transactionsOf,
    chunkById,
    committed,
    expire,
    restoreOwnHeader: restoring.ownHeader,
    restoreChunk: restoring.chunk,
    restored: restoring.done,
    logFloor: store.logFloor,
    stats: () => ({
      pool: { transactions: pool.count, bytes: pool.bytes, checking: intake.checking },
      flow: flow.counts(),
      chunks: store.stats(),
      producer: producer?.stats(),
      ready: ready.count,
      wantedChunks: wants.waiting,
      notedBlocks: book.size,
      signatures: signatures.stats(),
      clients: { window: window.size, underWay: window.underWay },
      sessions: { ...sessions.stats(), metered: budgets.refusals },
      drops: tally.counts(),
    }),
    stop() {
      producer?.stop();
      certificates.stop();
      ready.stop();
      resender.stop();
      forwarder.stop();
      wants.stop();
    },
  };
}
