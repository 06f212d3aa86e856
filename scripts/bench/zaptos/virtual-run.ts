/** One run in virtual time: a committee of ten regions, each member with a full node and a client (member.ts). */
import { type ConsensusOptions, WAN_OPTIONS } from '@slipstream/consensus';
import type { BlockChunk } from '@slipstream/execution';
import type { PipelineMode } from '@slipstream/pipeline';
import type { DiskCall } from '@slipstream/simulator';
import { type RunResult, runCommittee } from '../geo/committee-run.ts';
import type { Costs } from '../geo/costs.ts';
import { createLatencies, type Measured } from './latencies.ts';
import { mean } from './latency-parts.ts';
import { openMember } from './member.ts';
import { twoFaced } from './two-faced.ts';
import type { ExecuteMs, WorkloadName } from './workloads.ts';

export interface Machine {
  readonly costs: Costs;
  /** Verifier thread, for one Ed25519 signature. */
  readonly accountCheckMs: number;
  readonly writeMsPerByte: number;
}

export interface VirtualSetting {
  readonly members: number;
  readonly warmUpViews: number;
  readonly views: number;
  readonly mode: PipelineMode;
  readonly workload: WorkloadName;
  readonly executeMs: ExecuteMs;
  readonly machine: Machine;
  /** Of all clients together. */
  readonly transactionsPerSecond: number;
  readonly minBlockIntervalMs: number;
  /** A full node and a client beside one member in so many. */
  readonly fullNodeEach: number;
  /** Members that show two blocks in each view that they lead. */
  readonly equivocating: number;
  /** Members that never start. */
  readonly crashed: number;
}

export interface VirtualRun extends Measured {
  readonly setting: VirtualSetting;
  readonly consensusMs: number;
  readonly voteMs: number;
  readonly viewsLost: number;
  readonly viewsOfFaulty: number;
  readonly blockIntervalMs: number;
}

/** After the measured views, so that transactions sent in the last of them are committed too. */
const SETTLE_MS = 1_500;
/** With faulty leaders: several views may be lost one after another. */
const SETTLE_MS_FAULTY = 6_000;

export async function runVirtual(setting: VirtualSetting): Promise<VirtualRun> {
  const { members, warmUpViews, views, mode, workload, executeMs, machine } = setting;
  const latencies = createLatencies();
  const decoded = new Map<string, BlockChunk>();
  const liars = spread(setting.equivocating, members);
  const crashed = spread(setting.crashed, members);
  const hasClient = (member: number) =>
    member % setting.fullNodeEach === 0 && !liars.has(member) && !crashed.has(member);
  const clients = Array.from({ length: members }, (_, member) => member).filter(hasClient).length;
  const options: ConsensusOptions = { ...WAN_OPTIONS, minBlockIntervalMs: setting.minBlockIntervalMs };
  const result = await runCommittee({
    members,
    warmUpViews,
    views,
    options,
    crashed,
    seed: 'zaptos',
    settleMs: liars.size + crashed.size > 0 ? SETTLE_MS_FAULTY : SETTLE_MS,
    costs: machine.costs,
    diskLatencyMs: (call) => diskLatencyMs(call, machine),
    speech: (transport, self, chain, signer) => (liars.has(self) ? twoFaced(transport, chain, signer) : transport),
    application: (host) =>
      openMember(host, {
        mode,
        workload,
        executeMs,
        latencies,
        decoded,
        accountCheckMs: machine.accountCheckMs,
        transactionsPerSecond: hasClient(host.self) ? setting.transactionsPerSecond / clients : 0,
      }),
  });
  const blocks = result.blocks;
  const fromMs = blocks[0]?.sentMs ?? 0;
  const toMs = blocks.at(-1)?.sentMs ?? 0;
  return {
    setting,
    ...latencies.between(fromMs, toMs),
    consensusMs: mean(blocks.map((block) => mean(block.finalMs) - block.sentMs)),
    voteMs: mean(blocks.map((block) => mean(block.finalMs) - mean(block.notarizedMs))),
    viewsLost: result.viewsNullified,
    viewsOfFaulty: viewsLedBy(new Set([...liars, ...crashed]), result, setting),
    blockIntervalMs: (toMs - fromMs) / Math.max(1, blocks.length - 1),
  };
}

function viewsLedBy(faulty: ReadonlySet<number>, { leaderOf }: RunResult, { warmUpViews, views }: VirtualSetting) {
  const measured = Array.from({ length: views }, (_, at) => warmUpViews + 1 + at);
  return measured.filter((view) => faulty.has(leaderOf(view))).length;
}

/** Evenly over the committee, so over the regions. */
function spread(count: number, members: number): ReadonlySet<number> {
  return new Set(Array.from({ length: count }, (_, at) => Math.floor((at * members) / count)));
}

function diskLatencyMs({ operation, bytes }: DiskCall, { costs, writeMsPerByte }: Machine): number {
  if (operation.startsWith('sync')) return costs.syncMs;
  return operation === 'write' ? bytes * writeMsPerByte : 0;
}
