/**
 * A member of the benches' committee: real consensus and log on simulated ports, each charged with its cost. Without an application the
 * payload is empty and execution takes no time. With one, dissemination shares the charged ports and the log.
 */
import { type Application, type Consensus, type ConsensusOptions, NOTHING_RESTORED } from '@slipstream/consensus';
import type { Clock, Disk, DiskFile, PeerKey, Signer, Statement, Transport, Verifier } from '@slipstream/ports';
import { sha256 } from '@slipstream/primitives';
import type { NodeWorld } from '@slipstream/simulator';
import type { Archive } from '@slipstream/sync';
import { asId, frameNameOf, type StateDigest } from '@slipstream/types';
import { openSignState, openWal, type SignState, type Wal } from '@slipstream/wal';
import {
  type ConnectComponents,
  type ConnectedConsensus,
  connectConsensus,
} from '../../../apps/node/src/assembly/connect-consensus.ts';
import type { SimulatedChain } from '../../../test/simulation/harness/committee.ts';
import { EMPTY_ARCHIVE } from '../../../test/simulation/harness/empty-archive.ts';
import type { Costs, WorkKind } from './costs.ts';
import type { Thread } from './machine.ts';

export interface MemberSetting {
  readonly chain: SimulatedChain;
  readonly self: number;
  readonly signer: Signer;
  readonly verifier: Verifier;
  readonly options: ConsensusOptions;
  readonly costs: Costs;
  readonly main: Thread;
  readonly checking: Thread;
  /** It votes, and never proposes. */
  readonly crashedLeader: boolean;
  /** Undefined: empty blocks. */
  readonly application?: OpenApplication | undefined;
  /** Before each work of the main thread and for each sent frame. */
  readonly meter: Meter;
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

/** Attributes a run's real time to kinds of work. */
export interface Meter {
  works(kind: WorkKind): void;
  /** The simulated network's time belongs to no member. */
  sending<T>(send: () => T, frame?: Uint8Array): T;
}

export async function startMember(world: NodeWorld, setting: MemberSetting): Promise<Consensus> {
  const { chain, self, options } = setting;
  const { random, telemetry } = world;
  const disk = chargedDisk(world.disk, setting);
  const clock = chargedClock(world.clock, setting);
  const { genesisHash, committee, genesis, genesisId } = chain;
  const signState = await openSignState({ disk }, { path: 'sign-state.json', genesisHash });
  const { wal, report } = await openWal({ clock, disk, random, telemetry }, { directory: 'wal', genesisHash });
  await signState.mayTrust(report);
  const transport = chargedTransport(world.transport, setting);
  const signer = chargedSigner(setting);
  const verifier = chargedVerifier(setting);
  const answer = answering(setting);
  let connected: ConnectedConsensus | undefined;
  const hosted: Hosted = (await setting.application?.({
    ...{ world, chain, self, transport, clock, signer, verifier, wal, signState },
    connected: () => connected,
    check: (costMs) => answer(costMs, async () => {}),
  })) ?? { application: emptyBlocks(setting.crashedLeader) };
  connected = connectConsensus(
    {
      transport,
      clock,
      random,
      verifier,
      wal,
      signing: { signer, signState },
      application: hosted.application,
      archive: hosted.archive ?? EMPTY_ARCHIVE,
      telemetry,
      onDisseminationFrame: hosted.onDisseminationFrame ?? (() => {}),
      onFatal: (error) => world.exit(error instanceof Error ? error.message : String(error)),
    },
    {
      genesisHash,
      committee,
      self,
      options,
      root: { block: genesis, blockId: genesisId, certificate: undefined },
      refuseUpToView: 0,
      nullifyUpToView: 0,
      restored: NOTHING_RESTORED,
      firstRetainedView: 0,
    },
  );
  void connected.start().catch(() => {}); // reported by onFatal
  return connected.consensus;
}

function emptyBlocks(crashedLeader: boolean): Application {
  return {
    buildPayload: () => (crashedLeader ? new Promise(() => {}) : Promise.resolve([])),
    checkPayload: async () => ({ type: 'valid' }),
    execute: async (blockId) => asId<StateDigest>(sha256(blockId)),
    finalized() {},
    certified() {},
    hasPending: () => true,
  };
}

/** A frame is handled when the main thread is free, and leaves when it has sent it. */
function chargedTransport(transport: Transport, { chain, costs, main, meter }: MemberSetting): Transport {
  let handle: (from: PeerKey, lane: Parameters<Transport['send']>[1], frame: Uint8Array) => void = () => {};
  transport.onFrame((from, lane, frame) => {
    const name = frameNameOf(frame);
    const kind: WorkKind = name === 'consensus' || name === 'proposal' || name === 'heartbeat' ? name : 'other';
    main.run(costs.frameInMs + costs.workMs(kind), () => {
      meter.works(kind);
      handle(from, lane, frame);
    });
  });
  return {
    ...transport,
    self: transport.self,
    onFrame(handler) {
      handle = handler;
    },
    send(peer, lane, frame) {
      main.run(costs.frameOutMs, () => meter.sending(() => transport.send(peer, lane, frame), frame), true);
      return true;
    },
    broadcast(lane, frame) {
      // Frames leave one after another; the simulation sends all when half would be sent.
      const halfMs = (costs.frameOutMs * (chain.committee.members.length - 1)) / 2;
      main.run(halfMs, () => meter.sending(() => transport.broadcast(lane, frame), frame), true);
      main.run(halfMs, () => {}, true);
    },
  };
}

/** Code after a sync continues when the main thread is free. */
function chargedDisk(disk: Disk, { main, costs, meter }: MemberSetting): Disk {
  const charged = (file: DiskFile): DiskFile => ({
    ...file,
    async sync() {
      await file.sync();
      await new Promise<void>((resolve) => {
        main.run(costs.workMs('synced'), () => {
          meter.works('synced');
          resolve();
        });
      });
    },
  });
  return { ...disk, open: async (path, options) => charged(await disk.open(path, options)) };
}

function chargedClock(clock: Clock, { main, costs, meter }: MemberSetting): Clock {
  return {
    ...clock,
    after: (delayMs, action) =>
      clock.after(delayMs, () => {
        main.run(costs.workMs('timer'), () => {
          meter.works('timer');
          action();
        });
      }),
  };
}

function answering({ checking, main, costs, meter }: MemberSetting) {
  return <T>(costMs: number, work: () => Promise<T>, urgent = false): Promise<T> =>
    new Promise((resolve, reject) => {
      checking.run(
        costs.hopMs + costMs,
        () => {
          work().then((value) => {
            main.run(costs.workMs('answer'), () => {
              meter.works('answer');
              resolve(value);
            });
          }, reject);
        },
        urgent,
      );
    });
}

function chargedSigner(setting: MemberSetting): Signer {
  const answer = answering(setting);
  const { signer, costs } = setting;
  return {
    publicKey: signer.publicKey,
    sign: (messages) => answer(costs.signMs * messages.length, () => signer.sign(messages), true),
  };
}

/** As if it were alone: more than it costs in a batch. */
function statementMs(costs: Costs, statement: Statement): number {
  return statement.kind === 'certificate' ? costs.certificateMs(statement.signers.length) : costs.proposalCheckMs;
}

function chargedVerifier(setting: MemberSetting): Verifier {
  const answer = answering(setting);
  const { verifier, costs } = setting;
  return {
    checkQuorum: (request) => answer(costs.quorumMs(request.votes.length), () => verifier.checkQuorum(request)),
    checkVote: (...request) => answer(costs.proposalCheckMs, () => verifier.checkVote(...request)),
    checkCertificate: (request, priority) =>
      answer(costs.certificateMs(request.signers.length), () => verifier.checkCertificate(request, priority)),
    checkAggregate: (request, priority) => verifier.checkAggregate(request, priority),
    checkBatch: (batch, priority) => {
      const ms = batch.reduce((sum, statement) => sum + statementMs(costs, statement), 0);
      return answer(ms, () => verifier.checkBatch(batch, priority));
    },
    checkAccounts: (batch, priority) => verifier.checkAccounts(batch, priority),
  };
}
