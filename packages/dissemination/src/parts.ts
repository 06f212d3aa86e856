/** Parts of dissemination, each built after those it needs. Reports to later parts go through `events` (events.ts). */
import {
  type AuthorityChecks,
  type Budgets,
  createAuthorityChecks,
  createBudgets,
  createIssuerMeter,
} from '@slipstream/crypto';
import { blockIdOf, type CredentialMemory, createCredentialMemory, genesisBlock } from '@slipstream/types';
import { type BatchForwarder, createBatchForwarder } from './batches/batch-forwarder.ts';
import { type BatchJudge, createBatchJudge } from './batches/batch-judge.ts';
import { type BatchOffers, createBatchOffers } from './batches/batch-offers.ts';
import { type BatchPool, createBatchPool } from './batches/batch-pool.ts';
import { createRemoteOffers, type OnBatchOffer } from './batches/remote-offers.ts';
import type { BatchRules } from './batches/stored-batch.ts';
import { type AckSchedule, createAckSchedule } from './chunks/ack-schedule.ts';
import { type Attestation, createAttestation } from './chunks/attestation.ts';
import { type AttestationWaits, createAttestationWaits } from './chunks/attestation-waits.ts';
import { type Certificates, createCertificates } from './chunks/certificates.ts';
import { type ChunkIntake, createChunkIntake } from './chunks/chunk-intake.ts';
import { type ChunkLookup, createChunkLookup } from './chunks/chunk-lookup.ts';
import { type ChunkStore, createChunkStore } from './chunks/chunk-store.ts';
import { createChunkWire } from './chunks/chunk-wire.ts';
import { createFetchBudget } from './chunks/fetch-budget.ts';
import { createMissingChunks, type MissingChunks } from './chunks/missing-chunks.ts';
import { type ChunkRestore, createChunkRestore } from './chunks/restore.ts';
import { createStorageAcks, type StorageAcks } from './chunks/storage-acks.ts';
import type { Components, LimitedSetting } from './components.ts';
import { type BlockIntervalEstimator, createBlockIntervalEstimator } from './control/block-interval-estimator.ts';
import { type ClientWindow, createClientWindow } from './control/client-window.ts';
import { createExecutionRate, type ExecutionRate } from './control/execution-rate.ts';
import { type Committees, createCommittees } from './epochs/committees.ts';
import type { DisseminationEvents } from './events.ts';
import { type AckWishes, createAckWishes } from './forwarding/ack-wishes.ts';
import { createForwarder, type Forwarder } from './forwarding/forwarder.ts';
import { createResender, type Resender } from './forwarding/resender.ts';
import { createTrustedForwarders } from './forwarding/trusted-forwarders.ts';
import { createIntake, type Intake } from './intake/intake.ts';
import { createSignatureChecks, type SignatureChecks } from './intake/signature-checks.ts';
import { CREDENTIAL_BUDGET } from './limits.ts';
import { createDropCounter, type DropCounter } from './metrics/drop-counter.ts';
import { createFlow, type Flow } from './metrics/flow.ts';
import { createMempool, type Mempool } from './pool/mempool.ts';
import { createPoolEviction, type PoolEviction } from './pool/pool-eviction.ts';
import { createReadyQueue, type ReadyQueue } from './pool/ready-queue.ts';
import { createRecentOutcomes, type RecentOutcomes } from './pool/recent-outcomes.ts';
import { createProducer, type Producer } from './producer/producer.ts';
import { type ChunkReferences, createChunkReferences } from './proposals/chunk-references.ts';
import { createPayloadCheck, type PayloadCheck } from './proposals/payload-check.ts';
import { createUncertifiedReferences, type UncertifiedReferences } from './proposals/uncertified-references.ts';

export interface DisseminationParts extends Components {
  readonly committees: Committees;
  readonly drops: DropCounter;
  readonly flow: Flow;
  /** Of genesis; 0: the chain has no account directory. */
  readonly rowsPerBlock: number;
  readonly batchRules: BatchRules | undefined;
  readonly judge: BatchJudge | undefined;
  readonly batchPool: BatchPool;
  readonly batchOffers: BatchOffers;
  readonly onBatchOffer: OnBatchOffer;
  readonly batchForwarder: BatchForwarder;
  readonly pool: Mempool;
  readonly recent: RecentOutcomes;
  readonly credentials: CredentialMemory;
  readonly sessions: AuthorityChecks;
  readonly budgets: Budgets;
  readonly signatures: SignatureChecks;
  readonly window: ClientWindow;
  readonly blockInterval: BlockIntervalEstimator;
  readonly executionRate: ExecutionRate;
  readonly references: ChunkReferences;
  readonly uncertifiedReferences: UncertifiedReferences;
  readonly store: ChunkStore;
  readonly certificates: Certificates;
  /** Of this node's clients. */
  readonly waits: AttestationWaits;
  /** Their chunks ask for acks: of clients of this node and of others. */
  readonly ackWishes: AttestationWaits;
  readonly attestation: Attestation;
  readonly ready: ReadyQueue;
  readonly forwarder: Forwarder;
  readonly wishes: AckWishes;
  readonly eviction: PoolEviction;
  readonly acks: StorageAcks;
  readonly ackSchedule: AckSchedule;
  readonly chunks: ChunkIntake;
  readonly lookup: ChunkLookup;
  readonly missingChunks: MissingChunks;
  readonly producer: Producer;
  readonly restore: ChunkRestore;
  readonly payloads: PayloadCheck;
  readonly intake: Intake;
  readonly resender: Resender;
}

export function createParts(
  components: Components,
  setting: LimitedSetting,
  events: DisseminationEvents,
): DisseminationParts {
  const accounting = createAccounting(components, setting, events);
  const base = { ...components, ...accounting, events };
  const chunks = createChunkParts(base, setting);
  return { ...base, ...chunks, ...createTransactionParts({ ...base, ...chunks }, setting) };
}

/** Parts that need no other part of dissemination. */
function createAccounting(components: Components, setting: LimitedSetting, events: DisseminationEvents) {
  const { clock, telemetry, verifier } = components;
  const { genesis, genesisHash, limits } = setting;
  const committees = createCommittees(components.epochs, clock);
  const drops = createDropCounter(telemetry);
  const credentials = createCredentialMemory(limits.credentialBytesMax);
  const sessions = createAuthorityChecks(verifier, { genesisHash, recordOf: committees.recordOf }, credentials);
  const genesisId = blockIdOf(genesisBlock(genesisHash, genesis.timestampMs));
  const blockInterval = createBlockIntervalEstimator({ clock });
  return {
    committees,
    drops,
    flow: createFlow(),
    pool: createMempool(limits, committees),
    recent: createRecentOutcomes(limits, setting.hashKey),
    credentials,
    sessions,
    signatures: createSignatureChecks({ verifier, sessions, clock, committees }, limits),
    budgets: createBudgets(clock, CREDENTIAL_BUDGET),
    meter: createIssuerMeter(clock),
    window: createClientWindow({ clock }, limits),
    blockInterval,
    executionRate: createExecutionRate({
      ...limits,
      blockIntervalMs: () => blockInterval.intervalMs,
      unitLimits: () => committees.current.unitLimits,
    }),
    trustedForwarders: createTrustedForwarders({ clock, committees }),
    references: createChunkReferences(genesisId, drops, events),
    uncertifiedReferences: createUncertifiedReferences({ clock, events }, limits),
    ...createBatchAccounting({ ...components, committees }, setting),
    waits: createAttestationWaits(limits),
    ackWishes: createAttestationWaits(limits),
  };
}

function createBatchAccounting(
  { clock, distilled, verifier, committees }: Components & { readonly committees: Committees },
  { genesis, genesisHash, limits }: LimitedSetting,
) {
  const rowsPerBlock = genesis.distilled?.rowsPerBlock ?? 0;
  const parts = distilled && {
    directory: distilled.directory,
    verifier: { checkDistilled: distilled.verifier.checkDistilled, checkAccounts: verifier.checkAccounts },
  };
  return {
    rowsPerBlock,
    batchRules: distilled && genesis.distilled && { genesisHash, rowsPerBlock },
    judge: parts && createBatchJudge(parts, { genesisHash }),
    batchPool: createBatchPool({ monotonicMs: clock.monotonicMs, epoch: () => committees.current.epoch }, limits),
  };
}

type Base = Components & ReturnType<typeof createAccounting> & { readonly events: DisseminationEvents };

function createChunkParts(base: Base, setting: LimitedSetting) {
  const { clock, rules, events, fetchChunk, committees } = base;
  const { genesisHash, limits } = setting;
  const chunkRules = { committees, rules, credentials: base.credentials, batches: base.batchRules };
  const wire = createChunkWire(base.compression, limits);
  // A full node's upstream relays all producers' chunks.
  const producersOfSender = () => (committees.current.self === undefined ? committees.current.members.length : 1);
  const store = createChunkStore(limits, producersOfSender, events);
  const certificates = createCertificates({ ...base, store }, setting, limits);
  const attestation = createAttestation({ ...base, store }, limits);
  const ready = createReadyQueue({ ...base, certificates }, () => committees.current.unitLimits);
  const acks = createStorageAcks(base, { genesisHash });
  const ackSchedule = createAckSchedule({ ...base, acks }, limits);
  const intakeSetting = { chunkRules, genesisHash, producersOfSender };
  const chunks = createChunkIntake({ ...base, store, wire, ackSchedule }, intakeSetting, limits);
  const lookup = createChunkLookup({ ...base, store }, chunkRules);
  const budget = createFetchBudget(
    { clock, fetchedBytes: store.fetchedBytes, onRoom: () => missingChunks.goOn() },
    limits,
  );
  const missingChunks: MissingChunks = createMissingChunks({
    clock,
    fetchChunk,
    budget,
    findLocal: lookup.inMemory,
    addFetched: chunks.addFetched,
    verdicts: chunks.verdicts,
  });
  const payloads = createPayloadCheck({ ...base, missingChunks, certificates });
  const forwarder = createForwarder(base, limits);
  const wishes = createAckWishes({ ...base, ready, forwarder });
  const resender = createResender({ ...base, forwarder }, limits);
  const producer = createProducer({ ...base, store, ready, wire, certificates, chunks, ackSchedule }, setting);
  const restore = createChunkRestore({ store, chunks, producer }, { chunkRules });
  return {
    store,
    certificates,
    attestation,
    ready,
    acks,
    ackSchedule,
    chunks,
    lookup,
    missingChunks,
    payloads,
    forwarder,
    wishes,
    resender,
    producer,
    restore,
  };
}

function createTransactionParts(base: Base & ReturnType<typeof createChunkParts>, setting: LimitedSetting) {
  const { rules, committees } = base;
  const { genesisHash, limits } = setting;
  const batchParts = { ...base, accepted: base.producer.packer.schedule };
  const batchOffers = createBatchOffers(batchParts, base.batchRules, limits);
  return {
    eviction: createPoolEviction(base),
    batchOffers,
    onBatchOffer: createRemoteOffers({ ...base, offerBatch: batchOffers.offer }),
    batchForwarder: createBatchForwarder(base, limits),
    intake: createIntake(base, { genesisHash, unitLimits: committees.intakeLimits, rules }, limits),
  };
}
