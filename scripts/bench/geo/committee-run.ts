/**
 * One run of a committee: views to warm up, then views to measure. FINALITY is that of geo.ts; the time from the decision to propose (with
 * signing and fsync) is reported beside it.
 */
import type { Consensus, ConsensusOptions, VoteChecks } from '@slipstream/consensus';
import type { Signer, Telemetry, TelemetryFields, Transport } from '@slipstream/ports';
import {
  createRandom,
  createSimNetwork,
  createSimNode,
  createSimulation,
  type DiskCall,
  EPOCH_MS,
  type LatencyModel,
  type NodeWorld,
  regionLatency,
  type SimNode,
  type Simulation,
} from '@slipstream/simulator';
import { blockIdOf, createLeaderSchedule, decodeFrame, hexOf } from '@slipstream/types';
import { createChain, type SimulatedChain } from '../../../test/simulation/harness/committee.ts';
import { createScheme } from '../../../test/simulation/harness/signature-scheme.ts';
import type { Meter } from './charged-ports.ts';
import type { Costs } from './costs.ts';
import { createThread, type Thread } from './machine.ts';
import { type OpenApplication, startMember } from './member.ts';
import { ROUND_TRIP_P50_MS, ROUND_TRIP_P90_MS, regionOf } from './regions.ts';

export interface RunSetting {
  readonly members: number;
  readonly seed: string;
  readonly options: ConsensusOptions;
  /** Default: at quorum. */
  readonly voteChecks?: VoteChecks;
  readonly costs: Costs;
  readonly crashed?: ReadonlySet<number>;
  readonly crashedLeaders?: ReadonlySet<number>;
  /** Whose views are of faulty leaders, beside those. */
  readonly faulty?: ReadonlySet<number>;
  /** Default: between the regions. */
  readonly latency?: LatencyModel;
  readonly warmUpViews: number;
  readonly views: number;
  readonly meter?: RunMeter;
  /** Undefined: empty blocks. */
  readonly application?: OpenApplication;
  /** Replaces a member's sent messages, to simulate a faulty member. */
  readonly speech?: (transport: Transport, self: number, chain: SimulatedChain, signer: Signer) => Transport;
  /** After the last measured view: its block and those before become final. Default: 2 s. */
  readonly settleMs?: number;
  /** Default: measured log fsyncs. */
  readonly diskLatencyMs?: (call: DiskCall) => number;
}

export interface RunMeter extends Meter {
  stepped(): void;
  warm(): void;
}

export interface MeasuredBlock {
  readonly view: number;
  readonly proposedMs: number;
  readonly sentMs: number;
  /** By member; only those that saw it final. */
  readonly finalMs: readonly number[];
  readonly notarizedMs: readonly number[];
}

export interface RunResult {
  readonly members: number;
  readonly blocks: readonly MeasuredBlock[];
  readonly viewsEntered: number;
  readonly viewsNullified: number;
  readonly viewsOfFaultyLeaders: number;
  readonly virtualMs: number;
  /** Of all members, in the measured part. */
  readonly frames: number;
  readonly bytes: number;
  readonly syncs: number;
  /** Of main and verifier threads, mean over members. */
  readonly mainMs: number;
  readonly checkingMs: number;
  leaderOf(view: number): number;
}

const NO_METER: RunMeter = { works() {}, sending: (send) => send(), stepped() {}, warm() {} };
/** Virtual time per view, after which a run without progress fails. */
const VIEW_MS_MAX = 5000;
const SETTLE_MS = 2000;

export async function runCommittee(setting: RunSetting): Promise<RunResult> {
  const { members, crashed = new Set(), warmUpViews, views, meter = NO_METER } = setting;
  const committee = createRunCommittee(setting, meter);
  const { simulation, nodes, record, threads } = committee;
  for (const [member, node] of nodes.entries()) if (!crashed.has(member)) node.start();

  await advance(simulation, nodes, record, warmUpViews, meter);
  const before = snapshot(simulation, record, threads);
  meter.warm();
  await advance(simulation, nodes, record, warmUpViews + views, meter);
  const after = snapshot(simulation, record, threads);
  await simulation.run({ untilMs: simulation.nowMs + (setting.settleMs ?? SETTLE_MS) });

  const alive = members - crashed.size;
  return {
    members,
    blocks: record.blocks(warmUpViews + 1, warmUpViews + views),
    viewsEntered: views,
    ...viewsOf(setting, committee),
    virtualMs: after.nowMs - before.nowMs,
    frames: after.frames - before.frames,
    bytes: after.bytes - before.bytes,
    syncs: after.syncs - before.syncs,
    mainMs: (after.mainMs - before.mainMs) / alive,
    checkingMs: (after.checkingMs - before.checkingMs) / alive,
    leaderOf: committee.leaderOf,
  };
}

interface RunCommittee {
  readonly simulation: Simulation;
  readonly nodes: readonly SimNode<Consensus>[];
  readonly record: RunRecord;
  readonly threads: readonly MemberThreads[];
  leaderOf(view: number): number;
}

interface MemberThreads {
  readonly main: Thread;
  readonly checking: Thread;
}

function createRunCommittee(setting: RunSetting, meter: RunMeter): RunCommittee {
  const { members, seed, crashedLeaders = new Set() } = setting;
  const simulation = createSimulation({ seed });
  const scheme = createScheme(seed, members, false);
  const chain = createChain(seed, new Array<number>(members).fill(1), scheme.publicKeys);
  const peers = chain.committee.members.map(({ peerKey }) => peerKey);
  const network = createSimNetwork(simulation, { latency: setting.latency ?? betweenRegions(peers) });
  const record = createRecord(simulation);
  const threads = peers.map(() => ({ main: createThread(simulation), checking: createThread(simulation) }));
  network.tap(({ lane, frame }) => record.sent(lane, frame));

  async function start(world: NodeWorld, self: number): Promise<Consensus> {
    const signer = scheme.signer(self);
    const transport = setting.speech?.(world.transport, self, chain, signer) ?? world.transport;
    return startMember(
      { ...world, transport },
      {
        chain,
        self,
        signer,
        application: setting.application,
        verifier: scheme.verifier,
        options: setting.options,
        voteChecks: setting.voteChecks,
        costs: setting.costs,
        ...(threads[self] as MemberThreads),
        crashedLeader: crashedLeaders.has(self),
        meter,
      },
    );
  }

  const nodes = peers.map((peer, self) =>
    createSimNode<Consensus>(simulation, {
      peer,
      network,
      diskLatencyMs:
        setting.diskLatencyMs ?? (({ operation }) => (operation.startsWith('sync') ? setting.costs.syncMs : 0)),
      telemetry: () => record.telemetry,
      factory: (world) => start(world, self),
    }),
  );
  const leaderOf = createLeaderSchedule(chain.committee, chain.genesisHash) as (view: number) => number;
  return { simulation, nodes, record, threads, leaderOf };
}

function betweenRegions(peers: readonly string[]): LatencyModel {
  const regions = new Map(peers.map((peer, member) => [peer, regionOf(member)]));
  return regionLatency({ regions, roundTripP50Ms: ROUND_TRIP_P50_MS, roundTripP90Ms: ROUND_TRIP_P90_MS });
}

function viewsOf(
  { warmUpViews, views, crashed, crashedLeaders, faulty }: RunSetting,
  { record, leaderOf }: RunCommittee,
): Pick<RunResult, 'viewsNullified' | 'viewsOfFaultyLeaders'> {
  const measured = Array.from({ length: views }, (_, at) => warmUpViews + 1 + at);
  const isFaulty = (leader: number) =>
    [crashed, crashedLeaders, faulty].some((members) => members?.has(leader) === true);
  return {
    viewsNullified: measured.filter((view) => record.isNullified(view)).length,
    viewsOfFaultyLeaders: measured.filter((view) => isFaulty(leaderOf(view))).length,
  };
}

async function advance(
  simulation: Simulation,
  nodes: readonly SimNode<Consensus>[],
  record: RunRecord,
  toView: number,
  meter: RunMeter,
): Promise<void> {
  const untilMs = simulation.nowMs + 10_000 + toView * VIEW_MS_MAX;
  const { reason } = await simulation.run({
    untilMs,
    until() {
      meter.stepped();
      return record.highestView > toView;
    },
  });
  const exits = nodes.map(({ exitReason }) => exitReason).filter((why) => why !== undefined);
  if (reason !== 'condition' || exits.length > 0) {
    throw new Error(`the committee did not reach view ${toView} (it is at ${record.highestView}) ${exits.join('; ')}`);
  }
}

function snapshot(simulation: Simulation, record: RunRecord, threads: readonly MemberThreads[]) {
  const sum = (of: readonly number[]) => of.reduce((total, value) => total + value, 0);
  return {
    nowMs: simulation.nowMs,
    frames: record.frames,
    bytes: record.bytes,
    syncs: record.syncs,
    mainMs: sum(threads.map(({ main }) => main.busyMs)),
    checkingMs: sum(threads.map(({ checking }) => checking.busyMs)),
  };
}

interface BlockRecord {
  readonly view: number;
  readonly proposedMs: number;
  readonly sentMs: number;
  readonly finalMs: number[];
  readonly notarizedMs: number[];
}

interface RunRecord {
  readonly telemetry: Telemetry;
  sent(lane: string, frame: Uint8Array): void;
  blocks(fromView: number, toView: number): readonly MeasuredBlock[];
  isNullified(view: number): boolean;
  readonly highestView: number;
  readonly frames: number;
  readonly bytes: number;
  readonly syncs: number;
}

function createRecord(simulation: Simulation): RunRecord {
  const blocks = new Map<string, BlockRecord>();
  const nullified = new Set<number>();
  let highestView = 0;
  let frames = 0;
  let bytes = 0;
  let syncs = 0;
  let lastProposal: Uint8Array | undefined;

  simulation.addChecker('log syncs', (happened) => {
    if (happened.type === 'disk' && happened.operation === 'sync' && happened.path.startsWith('wal/')) syncs++;
  });

  function event(type: string, fields: TelemetryFields): void {
    if (type === 'view.entered') highestView = Math.max(highestView, Number(fields.view));
    if (type === 'view.nullified') nullified.add(Number(fields.view));
    if (type === 'block.final') blocks.get(String(fields.blockId))?.finalMs.push(simulation.nowMs);
    if (type === 'block.notarized') blocks.get(String(fields.blockId))?.notarizedMs.push(simulation.nowMs);
  }

  return {
    telemetry: { event, count() {}, gauge() {}, observe() {}, log() {} },
    sent(lane, frame) {
      frames++;
      bytes += frame.length;
      if (lane !== 'proposal' || frame === lastProposal) return;
      lastProposal = frame;
      const decoded = decodeFrame(frame);
      if (!decoded.ok || decoded.value.name !== 'proposal') return;
      const { block } = decoded.value.value;
      const key = hexOf(blockIdOf(block));
      if (blocks.has(key)) return;
      // Clocks agree with virtual time, to the millisecond below.
      const proposedMs = block.timestampMs - EPOCH_MS;
      blocks.set(key, { view: block.view, proposedMs, sentMs: simulation.nowMs, finalMs: [], notarizedMs: [] });
    },
    blocks: (fromView, toView) =>
      [...blocks.values()]
        .filter(({ view, finalMs }) => view >= fromView && view <= toView && finalMs.length > 0)
        .sort((a, b) => a.view - b.view),
    isNullified: (view) => nullified.has(view),
    get highestView() {
      return highestView;
    },
    get frames() {
      return frames;
    },
    get bytes() {
      return bytes;
    },
    get syncs() {
      return syncs;
    },
  };
}

/** An independent random sequence for each seed. */
export const seededUnit = (seed: string) => {
  const random = createRandom(seed);
  return () => random.unit();
};
