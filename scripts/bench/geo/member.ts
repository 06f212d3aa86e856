/**
 * A member of the benches' committee: real consensus and log on simulated ports, each charged with its cost. Without an application the
 * payload is empty and execution takes no time. With one, dissemination shares the charged ports and the log.
 */
import {
  type Application,
  type Consensus,
  type ConsensusOptions,
  EMPTY_LOG,
  type VoteChecks,
} from '@slipstream/consensus';
import type { Clock, Signer, Transport, Verifier } from '@slipstream/ports';
import { sha256 } from '@slipstream/primitives';
import type { NodeWorld } from '@slipstream/simulator';
import type { Archive } from '@slipstream/sync';
import { asId, type Block, type StateDigest } from '@slipstream/types';
import { openSignState, openWal, type SignState, type Wal } from '@slipstream/wal';
import {
  type ConnectComponents,
  type ConnectedConsensus,
  connectConsensus,
} from '../../../apps/node/src/assembly/connect-consensus.ts';
import type { SimulatedChain } from '../../../test/simulation/harness/committee.ts';
import { EMPTY_ARCHIVE } from '../../../test/simulation/harness/empty-archive.ts';
import { answering, chargedPorts, type Machine } from './charged-ports.ts';

export interface MemberSetting extends Machine {
  readonly chain: SimulatedChain;
  readonly self: number;
  readonly signer: Signer;
  readonly verifier: Verifier;
  readonly options: ConsensusOptions;
  readonly voteChecks?: VoteChecks | undefined;
  /** It votes, and never proposes. */
  readonly crashedLeader: boolean;
  /** Undefined: empty blocks. */
  readonly application?: OpenApplication | undefined;
}

/** What an application may use of its member. Ports are charged, but for the world's own. */
export interface Host {
  readonly world: NodeWorld;
  readonly chain: SimulatedChain;
  readonly self: number;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly verifier: Verifier;
  readonly wal: Wal;
  readonly signState: SignState;
  /** Undefined while the application is opened. */
  connected(): ConnectedConsensus | undefined;
  /** Resolves when the verifier thread has worked for so long, and the main thread has its answer. */
  check(costMs: number): Promise<void>;
}

export interface Hosted {
  readonly application: Application;
  /** Default: empty. */
  readonly archive?: Archive;
  /** Default: ignores them. */
  readonly onDisseminationFrame?: ConnectComponents['onDisseminationFrame'];
}

export type OpenApplication = (host: Host) => Promise<Hosted>;

export async function startMember(world: NodeWorld, setting: MemberSetting): Promise<Consensus> {
  const { chain, self, options } = setting;
  const { random, telemetry } = world;
  const { disk, clock, transport, verifier, signer } = chargedPorts({ ...world, ...setting }, setting);
  const { genesisHash, genesis, genesisId } = chain;
  const signState = await openSignState({ disk }, { path: 'sign-state.json', genesisHash });
  const { wal, report } = await openWal({ clock, disk, random, telemetry }, { directory: 'wal', genesisHash });
  await signState.mayTrust(report);
  const answer = answering(setting);
  let connected: ConnectedConsensus | undefined;
  const hosted: Hosted = (await setting.application?.({
    world,
    chain,
    self,
    transport,
    clock,
    signer,
    verifier,
    wal,
    signState,
    connected: () => connected,
    check: (costMs) => answer(costMs, async () => {}),
  })) ?? { application: emptyBlocks(setting.crashedLeader, (block) => connected?.consensus.committed(block)) };
  connected = connectConsensus(
    {
      transport,
      clock,
      random,
      verifier,
      wal,
      signing: { signerFor: () => signer, signState },
      application: hosted.application,
      archive: hosted.archive ?? EMPTY_ARCHIVE,
      telemetry,
      onDisseminationFrame: hosted.onDisseminationFrame ?? (() => {}),
      onFatal: (error) => world.exit(error instanceof Error ? error.message : String(error)),
    },
    {
      genesisHash,
      record: chain.record,
      selfIn: () => self,
      options,
      voteChecks: setting.voteChecks,
      root: { block: genesis, blockId: genesisId, certificate: undefined },
      refuseUpToView: 0,
      nullifyUpToView: 0,
      restored: EMPTY_LOG,
      firstRetainedView: 0,
    },
  );
  void connected.start().catch(() => {}); // reported by onFatal
  return connected.consensus;
}

/** Blocks that are not reported as committed would stop consensus after some hundred. */
function emptyBlocks(crashedLeader: boolean, committed: (block: Block) => void): Application {
  return {
    buildPayload: () => (crashedLeader ? new Promise(() => {}) : Promise.resolve([])),
    checkPayload: async () => ({ type: 'valid' }),
    execute: async (blockId) => asId<StateDigest>(sha256(blockId)),
    finalized: (_, block) => committed(block),
    certified() {},
    hasPending: () => true,
  };
}
