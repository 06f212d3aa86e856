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
import { createBudgets, createIssuerMeter, createSessionChecks } from '@slipstream/crypto';
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
import { createCertificates } from './chunks/certificates.ts';
import { openChunk } from './chunks/chunk.ts';
import { createChunkIntake } from './chunks/chunk-intake.ts';
import { createChunkStore, type StoredChunk } from './chunks/chunk-store.ts';
import { createChunkWire } from './chunks/chunk-wire.ts';
import { createMissingChunks } from './chunks/missing-chunks.ts';
import { type ChunkRestore, createChunkRestore } from './chunks/restore.ts';
import { createStorageAcks } from './chunks/storage-acks.ts';
import type { Components, Setting } from './components.ts';
import { createBlockIntervalEstimator } from './control/block-interval-estimator.ts';
import { createClientWindow } from './control/client-window.ts';
import { createExecutionRate, unitsOfPayload } from './control/execution-rate.ts';
import { DisseminationError } from './errors.ts';
import { createForwarder } from './forwarding/forwarder.ts';
import { createResender } from './forwarding/resender.ts';
import { createTrustedForwarders } from './forwarding/trusted-forwarders.ts';
import { createIntake } from './intake/intake.ts';
import { createSignatureChecks } from './intake/signature-checks.ts';
import type { SubmitResult } from './intake/submit-result.ts';
import { CHUNK_LIFE_MS } from './limits.ts';
import { createDropCounter } from './metrics/drop-counter.ts';
import { createFlow } from './metrics/flow.ts';
import { reportGauges } from './metrics/gauges.ts';
import type { DisseminationStats } from './metrics/stats.ts';
import { createMempool } from './pool/mempool.ts';
import { createPoolEviction } from './pool/pool-eviction.ts';
import { createReadyQueue } from './pool/ready-queue.ts';
import { createRecentOutcomes } from './pool/recent-outcomes.ts';
import { type TransactionState, transactionStatus } from './pool/transaction-status.ts';
import { createProducer } from './producer/producer.ts';
import { createChunkReferences } from './proposals/chunk-references.ts';
import { buildPayload, type PayloadRequest } from './proposals/payload-builder.ts';
import { createPayloadCheck, type PayloadChunk, type PayloadVerdict } from './proposals/payload-check.ts';
import { createUncertifiedReferences } from './proposals/uncertified-references.ts';

/** What a committed block did with its transactions, as the executor reports it. */
export interface BlockOutcome {
  /** Lower-case hex, no prefix. */
  readonly executedIds: readonly string[];
  readonly skipped: readonly { readonly id: TransactionId; readonly reason: SkipReason }[];
  /** How long executing it took here; undefined: in an earlier life of the node, or nobody measured. */
  readonly executeMs?: number | undefined;
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
  trackBlock(blockId: BlockId, block: Block): void;
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
  restoreOwnHeader: ChunkRestore['ownHeader'];
  restoreChunk: ChunkRestore['chunk'];
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
  const drops = createDropCounter(telemetry);
  const flow = createFlow();
  const pool = createMempool(limits, committee);
  const recent = createRecentOutcomes(limits, setting.hashKey);
  const chain = { genesis, genesisHash, committee };
  const credentials = createCredentialMemory();
  const chunkRules = { committee, rules, unitsMax: genesis.fees.limits, credentials };
  const sessions = createSessionChecks(verifier, chain, credentials);
  const signatures = createSignatureChecks({ verifier, sessions, clock }, limits);
  const meter = createIssuerMeter({ monotonicMs: clock.monotonicMs });
  const window = createClientWindow({ clock }, limits);
  const blockInterval = createBlockIntervalEstimator({ clock });
  const executionRate = createExecutionRate({ ...limits, unitLimits: genesis.fees.limits });
  const budgets = createBudgets(() => clock.monotonicMs(), limits.credentials);
  const forwarder = createForwarder({ transport, clock, drops, blockInterval }, { committee, memberIndex }, limits);
  const ready = createReadyQueue(
    {
      ...{ clock, pool },
      isCertified: (hex) => certificates.of(hex) !== undefined,
      isReferenced: (hex) => book.isReferenced(hex),
      onReady: () => producer?.packer.schedule(),
    },
    { ...limits, blockUnits: genesis.fees.limits },
  );
  const trustedForwarders = createTrustedForwarders({ clock }, committee);
  const departures = createPoolEviction({
    clock,
    rules,
    pool,
    ready,
    window,
    recent,
    flow,
    drops,
    trustedForwarders: trustedForwarders,
  });
  const intake = createIntake(
    {
      ...{
        ...components,
        pool,
        recent,
        signatures,
        credentials,
        budgets,
        meter,
        window,
        forwarder,
        trustedForwarders,
        drops,
        flow,
      },
      isEnclosed: ready.isInChunk,
      isCongested: () => producer?.isBehind() === true,
      accepted(entry, packAfterMs) {
        if (entry.peer === undefined) window.accept();
        if (memberIndex !== undefined) ready.add(entry, packAfterMs ?? limits.homeFallbackMs);
        notePending();
      },
    },
    { ...setting, rules },
    limits,
  );
  const uncertifiedReferences = createUncertifiedReferences({ clock }, limits);
  const wire = createChunkWire(components.compression, limits);
  const store = createChunkStore(limits, memberIndex === undefined ? committee.members.length : 1, ({ hex }) => {
    producer?.certifier.forget(hex);
    acks?.forget(hex);
    certificates.forget(hex);
    ready.removeChunk(hex);
  });
  const certificates = createCertificates(
    {
      ...{ verifier, clock, reports, drops, store, uncertifiedReferences, blockInterval, certified },
      isReferenced: (hex) => book.isReferenced(hex),
    },
    { committee, genesisHash, memberIndex },
    limits,
  );
  const genesisId = blockIdOf(genesisBlock(genesisHash, genesis.timestampMs));
  const book = createChunkReferences(genesisId, limits, drops);
  const missingChunks = createMissingChunks(
    {
      clock,
      findLocal: here,
      fetchChunk: components.fetchChunk,
      addFetched: (id, bytes, from) => chunks.addFetched(id, bytes, from),
    },
    limits,
  );
  const acks =
    signer && memberIndex !== undefined
      ? createStorageAcks({ signer, wal, transport }, { genesisHash, memberIndex })
      : undefined;
  const chunks = createChunkIntake(
    {
      ...{ verifier, wal, clock, reports, store, signatures, drops, telemetry, wire, chunkAvailable: arrived },
      acknowledge: acks?.acknowledge,
      chunkVerified({ hex, header, origin }, goodIds) {
        ready.addChunk(hex, goodIds, header.producer === memberIndex && origin === 'producer');
      },
    },
    { chunkRules, genesisHash, memberIndex },
    limits,
  );
  const producer = createProducer(
    { ...components, store, ready, wire, certificates, uncertifiedReferences, chunks, blockInterval, executionRate },
    setting,
  );
  const restoring = createChunkRestore({ store, chunks, producer }, { chunkRules });
  const payloads = createPayloadCheck({ book, missingChunks, certificates, uncertifiedReferences }, setting);
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
    missingChunks.arrived(chunk);
    if (certificates.of(chunk.hex)) attest(chunk);
    notePending();
  }

  function certified(chunkId: ChunkId, { signers }: { readonly signers: readonly number[] }): void {
    const chunk = store.get(hexOf(chunkId));
    if (chunk) return attest(chunk);
    // A node that is behind will ask as it executes; what it needs now comes first.
    if (store.isCommitted(hexOf(chunkId)) || missingChunks.waiting >= limits.chunkFetchesMax) return;
    const holders = signers.flatMap((index) => committee.members[index]?.peerKey ?? []);
    const outdated = new AbortController();
    const cancel = clock.after(CHUNK_LIFE_MS, () => outdated.abort());
    missingChunks.waitFor(chunkId, holders, outdated.signal).then(cancel, cancel); // whoever executes it will ask, if it comes to that
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
    book.trackBlock(blockId, block);
    uncertifiedReferences.trackBlock(block);
  }

  async function build(request: PayloadRequest): Promise<readonly ChunkReference[]> {
    if (memberIndex === undefined) {
      throw new DisseminationError('not-a-validator', 'a full node builds no payloads', {});
    }
    if (committee.members.length === 1) await producer?.packer.flush(); // nobody to send it to first
    const parts = { store, book, certificates, uncertifiedReferences, telemetry, nowMs: clock.monotonicMs };
    const bounds = { unitLimits: genesis.fees.limits, timelyUnits: executionRate.timelyUnits };
    return buildPayload(parts, { committee, ...bounds, orphanMs: limits.orphanMs }, request);
  }

  function committed(blockId: BlockId, block: Block, { executedIds, skipped, executeMs }: BlockOutcome): void {
    blockInterval.recordBlock(block.payload.length > 0);
    executionRate.executed(unitsOfPayload(store, block.payload), executeMs);
    departures.committed(executedIds, skipped, block.timestampMs);
    book.commitBlock(blockId, block);
    uncertifiedReferences.trackBlock(block);
    for (const { chunkId } of block.payload) store.commit(hexOf(chunkId));
    expire(block.timestampMs);
    notePending();
    reportGauges({ telemetry, pool, window, ready, store, sessions, budgets, credentials, producer, executionRate });
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
    if (known) return chunks.prepare(known);
    const bytes = await components.loadChunk?.(chunkId);
    const loaded = bytes && reopen(bytes);
    return loaded && chunks.prepare(loaded);
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
    status: (idHex) => transactionStatus(idHex, pool, recent),
    hasPending,
    onTransactions: intake.onTransactions,
    onChunk: chunks.onChunk,
    onChunkAck: (from, frame) => producer?.certifier.onAck(from, frame),
    onChunkCertified: certificates.onFrame,
    buildPayload: build,
    checkPayload: payloads.check,
    trackBlock: noteBlock,
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
      missingChunks: missingChunks.waiting,
      trackedBlocks: book.size,
      signatures: signatures.stats(),
      clients: { window: window.size, underWay: window.inFlight },
      sessions: { ...sessions.stats(), metered: budgets.refusals },
      drops: drops.counts(),
    }),
    stop() {
      producer?.stop();
      certificates.stop();
      ready.stop();
      resender.stop();
      forwarder.stop();
      missingChunks.stop();
    },
  };
}
