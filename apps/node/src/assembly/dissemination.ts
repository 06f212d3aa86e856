import { begunEpochIn } from '@slipstream/consensus';
import { HASH_KEY_BYTES } from '@slipstream/crypto';
import {
  type AckMode,
  type AttestedChunk,
  createDissemination,
  createHedgedFetch,
  type Dissemination,
} from '@slipstream/dissemination';
import type { LedgerReader } from '@slipstream/ledger';
import { compress, decompress } from '@slipstream/network/compression';
import type { ArtifactTable } from '@slipstream/node-home/applications';
import type { Identity } from '@slipstream/node-home/identity';
import type { DistilledVerifier, PeerKey, Transport, Verifier } from '@slipstream/ports';
import { unreachable } from '@slipstream/primitives';
import {
  type Epoch,
  type EpochRecord,
  type Evidence,
  hexOf,
  type Transaction,
  type UnitsOfCalls,
  unitsOf,
  unitsOfCallsTo,
} from '@slipstream/types';
import type { OpenedWal } from '@slipstream/wal';
import type { NodeEpochs } from '../epochs/node-epochs.ts';
import type { Executor } from '../executor/executor.ts';
import { feeRules, highestMinimums } from '../executor/fee-rules.ts';
import { stateRules } from '../executor/state-rules.ts';
import type { Quarantine } from '../quarantine/quarantine.ts';
import { createRetainedChunks } from '../storage/retained-chunks.ts';
import type { Stores } from '../storage/stores.ts';
import type { ConnectedConsensus } from './connect-consensus.ts';
import type { DisseminationFrameName } from './frame-router.ts';
import type { NodeWorld } from './node-world.ts';
import { failUnlessFull } from './overload.ts';
import type { Verification } from './verification.ts';

export interface DisseminationParts {
  readonly identity: Identity;
  readonly artifacts: Pick<ArtifactTable, 'manifestOf'>;
  readonly quarantine: Quarantine;
  readonly stores: Stores;
  readonly executor: Pick<Executor, 'fees' | 'record' | 'recordOf' | 'read' | 'directory' | 'putEvidence'>;
  readonly world: NodeWorld;
  readonly verifier: Verifier;
  readonly distilled: DistilledVerifier;
  readonly epochs: NodeEpochs;
  readonly signerIn: Verification['signerIn'];
  readonly transport: Transport;
  readonly acks: AckMode;
  /** False: every credential is verified again. */
  readonly remembersCredentials: boolean;
}

interface RestoredStores {
  readonly ledger: Pick<LedgerReader, 'tip' | 'recentBlocks'>;
  readonly log: Pick<OpenedWal, 'records'>;
}

interface DisseminationLinks {
  readonly firstChunkSequence: number;
  readonly attested: (chunk: AttestedChunk) => void;
  /** Resolved by the signing-history query: with an older copy of the folder a producer would reuse sequences, which is equivocation. */
  readonly maySign: () => Promise<void>;
  readonly connected: () => ConnectedConsensus | undefined;
  readonly evidence: (evidence: Evidence) => void;
}

export function openDissemination(parts: DisseminationParts, links: DisseminationLinks): Dissemination {
  const { identity, stores, executor, epochs, world, verifier, transport, acks, remembersCredentials } = parts;
  const { genesis, genesisHash } = identity;
  const { directory } = executor;
  return createDissemination(
    {
      verifier,
      distilled: directory && { directory, verifier: parts.distilled },
      epochs,
      signerOf: parts.signerIn,
      wal: stores.log.wal,
      transport,
      clock: world.clock,
      telemetry: world.telemetry,
      rules: {
        ...rulesOf(identity, executor, unitsByEpoch(epochs, parts.artifacts)),
        quarantine: parts.quarantine,
      },
      reports: {
        offence: (peer, reason, detail) => links.connected()?.consensus.offence(peer, reason, detail),
        equivocation({ offender, peer, first, second }) {
          world.telemetry.event('evidence', { kind: 'chunks', offender, epoch: first.header.epoch, view: 0 });
          const evidence = { type: 'chunks', offender, first, second } as const;
          executor.putEvidence(evidence).catch(failUnlessFull(world, 'evidence'));
          links.evidence(evidence);
          links
            .connected()
            ?.consensus.offence(peer, 'invalid-chunk', `two chunks of sequence ${first.header.sequence}`);
        },
        stored: (producer, frame) => links.connected()?.sync.relayChunk(producer, frame),
        attested: links.attested,
        failed: world.fail,
        pendingChanged: () => links.connected()?.consensus.pendingChanged(),
      },
      loadChunk: createRetainedChunks(stores.chunks, world.telemetry),
      fetchChunk: createHedgedFetch({
        transport,
        clock: world.clock,
        random: world.random,
        ask: async (peer, id, signal) =>
          (await links.connected()?.sync.ask(peer, { query: 'chunk', id }, signal))?.chunks[0],
      }),
      compression: { compress, decompress },
      async reserveSequence(sequence) {
        await links.maySign();
        return stores.signState.reserve({ chunkSequence: sequence, logSequence: stores.log.wal.durableSequence });
      },
    },
    {
      genesis,
      genesisHash,
      firstSequence: links.firstChunkSequence,
      hashKey: world.random.bytes(HASH_KEY_BYTES),
      acks,
      limits: remembersCredentials ? undefined : { credentialBytesMax: 0 },
    },
  );
}

/** By the artifacts that its record names. Undefined: one of them is not here. */
type UnitsByEpoch = (epoch: Epoch) => UnitsOfCalls | undefined;

export function unitsByEpoch(
  epochs: Pick<NodeEpochs, 'of'>,
  artifacts: Pick<ArtifactTable, 'manifestOf'>,
): UnitsByEpoch {
  let known: { readonly hashes: readonly Uint8Array[]; readonly units: UnitsOfCalls } | undefined;
  return (epoch) => {
    const hashes = epochs.of(epoch)?.parameters.applications;
    if (hashes === undefined) return undefined;
    if (known?.hashes === hashes) return known.units;
    const manifests = hashes.flatMap((hash, number) => artifacts.manifestOf(hash, number) ?? []);
    // An operator may accept it yet.
    if (manifests.length < hashes.length) return undefined;
    known = { hashes, units: unitsOfCallsTo(manifests) };
    return known.units;
  };
}

function rulesOf({ genesis }: Identity, executor: DisseminationParts['executor'], unitsIn: UnitsByEpoch) {
  const { applications = [] } = genesis;
  const numbers = new Map(applications.map(({ name }, number) => [name, number]));
  return {
    unitsOf(transaction: Transaction | undefined, bytes: number, epoch: Epoch) {
      const unitsOfCall = unitsIn(epoch);
      return unitsOfCall && unitsOf(transaction, bytes, unitsOfCall);
    },
    ...feeRules(
      () => executor.fees().prices,
      () => highestMinimums(executor.record(), executor.recordOf(executor.record().epoch + 1)),
    ),
    ...stateRules(executor.read, (name) => numbers.get(name)),
  };
}

/**
 * Restores chunks from the log, and the transactions of blocks within `windowMs` before the newest one. The log may be of a later epoch than
 * the ledger: this node has promised to store chunks of that epoch too.
 */
export async function restoreDissemination(
  dissemination: Dissemination,
  { log, ledger }: RestoredStores,
  epochs: Pick<NodeEpochs, 'now' | 'next' | 'sealed' | 'ended'>,
  windowMs: number,
): Promise<void> {
  const tipMs = (await ledger.tip())?.timestampMs ?? 0;
  const recent = await ledger.recentBlocks(tipMs - windowMs);
  for (const { block } of recent) if (block.next !== undefined) epochs.ended(block);
  const next = epochs.next();
  if (next !== undefined) dissemination.sealed(next);
  const begun = await restoreRecords(dissemination, log.records, tipMs);
  const unknown = next === undefined ? begun.find(({ epoch }) => epoch === epochs.now() + 1) : undefined;
  if (unknown !== undefined) {
    epochs.sealed(unknown);
    dissemination.sealed(unknown);
    await restoreRecords(dissemination, log.records, tipMs);
  }
  for (const { blockId, block, executedIds } of recent) {
    dissemination.committed(blockId, block, { executedIds: executedIds.map(hexOf), skipped: [] });
  }
  dissemination.restored();
}

/** Returns the records of epochs that began. */
async function restoreRecords(
  dissemination: Dissemination,
  records: RestoredStores['log']['records'],
  tipMs: number,
): Promise<readonly EpochRecord[]> {
  const begun: EpochRecord[] = [];
  for await (const record of records) {
    const { kind, payload, sequence } = record;
    if (kind === 'own-chunk-header') dissemination.restoreOwnHeader(payload, sequence, tipMs);
    if (kind === 'chunk') dissemination.restoreChunk(payload, sequence, tipMs);
    const epoch = begunEpochIn(record);
    if (epoch !== undefined) begun.push(epoch.seal.record);
  }
  return begun;
}

/** Resolves when the content was checked; rejects when log, verifier or executor fail, or their queues are full. */
export async function takeFrame(
  dissemination: Dissemination,
  from: PeerKey,
  name: DisseminationFrameName,
  frame: Uint8Array,
): Promise<void> {
  switch (name) {
    case 'chunk':
      return dissemination.onChunk(from, frame);
    case 'chunkAck':
      return dissemination.onChunkAck(from, frame);
    case 'chunkCertified':
      return dissemination.onChunkCertified(from, frame);
    case 'transactions':
      return dissemination.onTransactions(from, frame);
    case 'batchOffer':
      return dissemination.onBatchOffer(from, frame);
    case 'batchAnswer':
      return dissemination.onBatchAnswer(from, frame);
    default:
      return unreachable(name, 'frame name');
  }
}
