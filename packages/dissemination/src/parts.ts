/** Parts of dissemination, each built after those it needs. Reports to later parts go through `events` (events.ts). */
import {
  type AuthorityChecks,
  type Budgets,
  createAuthorityChecks,
  createBudgets,
  createIssuerMeter,
} from '@slipstream/crypto';
import { blockIdOf, type CredentialMemory, createCredentialMemory, genesisBlock } from '@slipstream/types';
import { type Attestation, createAttestation } from './chunks/attestation.ts';
import { type AttestationWaits, createAttestationWaits } from './chunks/attestation-waits.ts';
import { type Certificates, createCertificates } from './chunks/certificates.ts';
import { type ChunkIntake, createChunkIntake } from './chunks/chunk-intake.ts';
import { type ChunkLookup, createChunkLookup } from './chunks/chunk-lookup.ts';
import { type ChunkStore, createChunkStore } from './chunks/chunk-store.ts';
import { createChunkWire } from './chunks/chunk-wire.ts';
import { createMissingChunks, type MissingChunks } from './chunks/missing-chunks.ts';
import { type ChunkRestore, createChunkRestore } from './chunks/restore.ts';
import { createStorageAcks, type StorageAcks } from './chunks/storage-acks.ts';
import type { Components, LimitedSetting } from './components.ts';
import { type BlockIntervalEstimator, createBlockIntervalEstimator } from './control/block-interval-estimator.ts';
import { type ClientWindow, createClientWindow } from './control/client-window.ts';
import { createExecutionRate, type ExecutionRate } from './control/execution-rate.ts';
import type { DisseminationEvents } from './events.ts';
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
  readonly drops: DropCounter;
  readonly flow: Flow;
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
  readonly waits: AttestationWaits;
  readonly attestation: Attestation;
  readonly ready: ReadyQueue;
  readonly forwarder: Forwarder;
  readonly eviction: PoolEviction;
  /** Undefined on a full node. */
  readonly acks: StorageAcks | undefined;
  readonly chunks: ChunkIntake;
  readonly lookup: ChunkLookup;
  readonly missingChunks: MissingChunks;
  /** Undefined on a full node. */
  readonly producer: Producer | undefined;
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
  const { genesis, genesisHash, committee, limits } = setting;
  const drops = createDropCounter(telemetry);
  const credentials = createCredentialMemory(limits.credentialBytesMax);
  const sessions = createAuthorityChecks(verifier, { genesis, genesisHash, committee }, credentials);
  const genesisId = blockIdOf(genesisBlock(genesisHash, genesis.timestampMs));
  return {
    drops,
    flow: createFlow(),
    pool: createMempool(limits, committee),
    recent: createRecentOutcomes(limits, setting.hashKey),
    credentials,
    sessions,
    signatures: createSignatureChecks({ verifier, sessions, clock }, limits),
    budgets: createBudgets(clock, CREDENTIAL_BUDGET),
    meter: createIssuerMeter(clock),
    window: createClientWindow({ clock }, limits),
    blockInterval: createBlockIntervalEstimator({ clock }),
    executionRate: createExecutionRate({ ...limits, unitLimits: genesis.fees.limits }),
    trustedForwarders: createTrustedForwarders({ clock }, committee),
    references: createChunkReferences(genesisId, drops, events),
    uncertifiedReferences: createUncertifiedReferences({ clock }, limits),
    waits: createAttestationWaits(limits),
  };
}

type Base = Components & ReturnType<typeof createAccounting> & { readonly events: DisseminationEvents };

function createChunkParts(base: Base, setting: LimitedSetting) {
  const { clock, pool, wal, transport, rules, signer, events, fetchChunk } = base;
  const { genesis, genesisHash, committee, memberIndex, limits } = setting;
  const blockUnits = genesis.fees.limits;
  const chunkRules = { committee, rules, unitsMax: blockUnits, credentials: base.credentials };
  const wire = createChunkWire(base.compression, limits);
  // A full node's upstream relays all producers' chunks.
  const store = createChunkStore(limits, memberIndex === undefined ? committee.members.length : 1, events);
  const certificates = createCertificates({ ...base, store }, setting, limits);
  const attestation = createAttestation({ ...base, store }, limits);
  const ready = createReadyQueue({ ...base, certificates }, blockUnits);
  const acks =
    signer && memberIndex !== undefined
      ? createStorageAcks({ signer, wal, transport }, { genesisHash, memberIndex })
      : undefined;
  const chunks = createChunkIntake({ ...base, store, wire, acks }, { chunkRules, genesisHash, memberIndex }, limits);
  const lookup = createChunkLookup({ ...base, store }, chunkRules);
  const missingChunks = createMissingChunks(
    { clock, fetchChunk, findLocal: lookup.inMemory, addFetched: chunks.addFetched },
    limits,
  );
  const payloads = createPayloadCheck({ ...base, missingChunks, certificates }, setting);
  const forwarder = createForwarder(base, setting, limits);
  const resender = createResender({ clock, pool, forwarder }, setting, limits);
  const producer = createProducer({ ...base, store, ready, wire, certificates, chunks }, setting);
  const restore = createChunkRestore({ store, chunks, producer }, { chunkRules });
  return {
    store,
    certificates,
    attestation,
    ready,
    acks,
    chunks,
    lookup,
    missingChunks,
    payloads,
    forwarder,
    resender,
    producer,
    restore,
  };
}

function createTransactionParts(base: Base & ReturnType<typeof createChunkParts>, setting: LimitedSetting) {
  const { rules } = base;
  const { genesis, genesisHash, committee, limits } = setting;
  return {
    eviction: createPoolEviction(base),
    intake: createIntake(base, { genesis, genesisHash, committee, rules }, limits),
  };
}
