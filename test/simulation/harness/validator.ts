import { type Consensus, type ConsensusOptions, LOCAL_OPTIONS, restoreFrom } from '@slipstream/consensus';
import type { DistilledVerifier, PeerKey, Signer, Transport, Verifier, VerifierCommittees } from '@slipstream/ports';
import type { NodeWorld } from '@slipstream/simulator';
import { spareSlowFollowers } from '@slipstream/sync';
import {
  epoch as asEpoch,
  type Committee,
  committeeOfRecord,
  type Epoch,
  type EpochRecord,
  type Evidence,
  epochKeysOf,
  hexOf,
} from '@slipstream/types';
import { openSignState, openWal, type WalRecord } from '@slipstream/wal';
import { type ConnectedConsensus, connectConsensus } from '../../../apps/node/src/assembly/connect-consensus.ts';
import type { SuppliedChunk } from '../../../apps/node/src/executor/wire.ts';
import type { RestoredLog } from '../checkers/payloads.ts';
import { openRandomChunks } from './chunk-store.ts';
import { recordOf, type SimulatedChain } from './committee.ts';
import type { Execution } from './executing.ts';
import { createOrderingApplication, type OrderingOptions } from './ordering-application.ts';
import { type Root, readEnd, readRecent, readTip } from './ordering-ledger.ts';
import type { OpenPayloads, PayloadsOfNode } from './payloads.ts';

export interface ValidatorSetting {
  readonly chain: SimulatedChain;
  /** Undefined: full node. */
  readonly self: number | undefined;
  /** Of its first key. */
  readonly signer: Signer;
  /** All that it holds, the first included. */
  readonly keys: readonly { readonly signer: Signer; readonly peerKey: PeerKey }[];
  readonly verifier: Verifier;
  readonly distilled: DistilledVerifier;
  /** A liar's verdicts at execution. Default: its own dissemination's. */
  readonly judged?: (chunks: readonly SuppliedChunk[]) => readonly SuppliedChunk[];
  /** Of the verifier. */
  readonly committees: VerifierCommittees;
  readonly options?: Partial<ConsensusOptions>;
  readonly application: OrderingOptions;
  /** Artifacts of later versions in the node's home. Default: none. */
  readonly accepted?: () => readonly Uint8Array[];
  readonly onEvidence?: (evidence: Evidence) => void;
  /** Of later epochs. Default: the same members. */
  readonly committeeOf?: ((epoch: Epoch) => Committee) | undefined;
  /** Default: random chunks. */
  readonly payloads?: OpenPayloads;
  /** With the real pipeline. Default: a hash of the ancestry. */
  readonly execution?: OpenExecution;
  /** Of its files: twins share a disk. */
  readonly home?: string;
}

export type OpenExecution = (world: NodeWorld, home: string) => Promise<Execution>;

export interface Validator {
  /** Undefined: an attacker without it. */
  readonly consensus: Consensus | undefined;
  readonly payloads?: PayloadsOfNode;
  readonly transport?: Transport;
}

/** Of chunk references (dissemination.md): the check ignores older blocks. */
const REMEMBERED_MS = 60_000;

/** Small, so that every run rotates and prunes. */
const SEGMENT_BYTES = 32 * 1024;

export const WAL_FOLDER = 'wal';
export const SIGN_STATE_FILE = 'sign-state.json';

export async function startValidator(given: NodeWorld, setting: ValidatorSetting): Promise<Validator> {
  const { chain, self, home = '' } = setting;
  const { genesisHash, committee } = chain;
  const sparing = spareSlowFollowers(given, committee);
  const world: NodeWorld = { ...given, transport: sparing };
  const { clock, disk, random, telemetry } = world;
  const execution = await setting.execution?.(world, home);
  const ownLedger = world.keyValue(`${home}ledger`);
  const ledger = execution?.keeping(ownLedger) ?? ownLedger;
  const genesis = { block: chain.genesis, blockId: chain.genesisId, certificate: undefined };
  const root = execution?.root ?? (await readTip(ledger)) ?? genesis;
  const rememberedMs = root.block.timestampMs - REMEMBERED_MS;
  const signState = await openSignState({ disk }, { path: `${home}${SIGN_STATE_FILE}`, genesisHash });
  const { wal, records, report } = await openWal(
    { clock, disk, random, telemetry },
    {
      directory: `${home}${WAL_FOLDER}`,
      genesisHash,
      knownDurableSequence: signState.logSequence,
      segmentBytesMax: SEGMENT_BYTES,
    },
  );
  const refusal = await signState.mayTrust({ logId: report.logId, lastSequence: report.lastSequence });
  const { epoch: rootEpoch, next } = root.block;
  const epoch = next === undefined ? rootEpoch : asEpoch(rootEpoch + 1);
  const ended = epoch === 0 ? undefined : await readEnd(ledger, epoch - 1);
  const recordOfEpoch = (of: Epoch) => recordOf(setting.committeeOf?.(of) ?? { ...committee, epoch: of });
  const restored = await restoreFrom(records, epoch);
  let connected: ConnectedConsensus | undefined;
  const payloads = await (setting.payloads ?? openRandomChunks)({
    world,
    chain,
    self,
    ledger,
    wal,
    signState,
    signer: setting.signer,
    verifier: setting.verifier,
    committedBlocks: await (execution?.recent(rememberedMs) ?? readRecent(ledger, root.block, rememberedMs)),
    restored: (await collect(records)).filter(({ kind }) => kind === 'chunk' || kind === 'own-chunk-header'),
    busy: setting.application.busy,
    workload: setting.application.workload,
    connected: () => connected,
  });
  reportRestored(world, root, restored, payloads);
  const application =
    execution?.application(payloads) ??
    createOrderingApplication(world, ledger, payloads, setting.application, {
      genesisHash,
      epoch,
      rootHeight: ended?.block.height ?? 0,
      recordOf: recordOfEpoch,
    });
  const selfIn = ({ epoch: of, members }: Committee) =>
    of === committee.epoch ? self : members.find(({ peerKey }) => peerKey === world.peer)?.index;
  const begin = ({ record }: { readonly record: EpochRecord }) => {
    const begun = committeeOfRecord(record);
    const keys = epochKeysOf(begun);
    setting.committees.addCommittee(keys.epoch, keys.publicKeys);
    sparing.moved(begun);
  };
  begin({ record: recordOfEpoch(epoch) });
  connected = connectConsensus(
    {
      transport: world.transport,
      clock: world.clock,
      random,
      verifier: setting.verifier,
      wal,
      signing: { signerFor: () => setting.signer, signState },
      application,
      archive: application.archive,
      telemetry,
      onDisseminationFrame: payloads.onFrame,
      onEpoch: begin,
      ...(setting.onEvidence ? { onEvidence: setting.onEvidence } : {}),
      onFatal: (error) => world.exit(error instanceof Error ? error.message : String(error)),
    },
    {
      genesisHash,
      record: recordOfEpoch(epoch),
      ended,
      selfIn,
      options: { ...LOCAL_OPTIONS, ...setting.options },
      root,
      refuseUpToView: refusal.viewsUpTo,
      nullifyUpToView: refusal.nullifiesUpTo,
      restored,
      firstRetainedView: report.firstSequence === 1 ? 0 : root.block.view,
    },
  );
  const { consensus } = connected;
  application.onSealed?.(consensus.sealed.bind(consensus));
  application.onCommitted((block) => consensus.committed(block, payloads.logFloor));
  void connected.start().catch(() => {});
  return { consensus, payloads, transport: world.transport };
}

async function collect(records: AsyncIterable<WalRecord>): Promise<readonly WalRecord[]> {
  const all: WalRecord[] = [];
  for await (const record of records) all.push(record);
  return all;
}

type RestoredEpochs = Awaited<ReturnType<typeof restoreFrom>>;

/** For I6. */
function reportRestored(
  { telemetry }: NodeWorld,
  root: Root,
  { epochs }: RestoredEpochs,
  payloads: PayloadsOfNode,
): void {
  const blocks = [...epochs.values()].flatMap((restored) => restored.blocks);
  const wholeBlocks = blocks.filter(({ block }) => payloads.has(block)).map(({ blockId }) => hexOf(blockId));
  const fields: RestoredLog = { tipHeight: root.block.height, wholeBlocks };
  telemetry.event('log.restored', { ...fields });
}
