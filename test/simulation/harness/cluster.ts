import type { ConsensusOptions } from '@slipstream/consensus';
import type { PeerKey, Telemetry, TelemetryFields } from '@slipstream/ports';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import {
  createSimNetwork,
  createSimNode,
  createSimulation,
  type NodeWorld,
  type SimNetwork,
  type SimNetworkOptions,
  type SimNode,
  type Simulation,
  uniformLatency,
} from '@slipstream/simulator';
import {
  type ChunkId,
  type Committee,
  createCommittee,
  createLeaderSchedule,
  type DistilledParameters,
  type Epoch,
} from '@slipstream/types';
import { type ChunkRecord, createChunkRecord } from '../checkers/chunks.ts';
import { installCheckers, type ProtocolChecks } from '../checkers/index.ts';
import { type CheckedLies, QUORUM_CHECKED, watchQuorums } from '../checkers/quorum-checks.ts';
import type { SimulatedCalls } from './calls/simulated-calls.ts';
import { createChain, type SimulatedChain } from './committee.ts';
import { type ClientOptions, disseminating } from './disseminating.ts';
import { type ExecutingOptions, openExecution } from './executing.ts';
import { createExecutionRecord, type ExecutionRecord } from './execution-record.ts';
import { createNodeKeys, type NodeKeys, withFirstKeys } from './node-keys.ts';
import type { OrderingOptions } from './ordering-application.ts';
import type { SignatureScheme } from './scheme.ts';
import { createScheme } from './signature-scheme.ts';
import { calmed, createFaultGate, type FaultGate, gatedNetwork, gatedNode } from './trim.ts';
import { startValidator, type Validator, type ValidatorSetting } from './validator.ts';
import type { ChainApplications } from './whole/applications.ts';

/** In place of the honest code or around it. */
export type NodeCode = (world: NodeWorld, setting: ValidatorSetting) => Promise<Validator> | Validator;

export interface ClusterOptions {
  readonly seed: string;
  readonly weights: readonly number[];
  readonly realBls?: boolean;
  readonly network?: SimNetworkOptions;
  readonly consensus?: Partial<ConsensusOptions>;
  readonly application?: Partial<OrderingOptions>;
  readonly applicationOf?: (member: number) => Partial<OrderingOptions>;
  /** Transactions, and payloads of the real dissemination. Default: random chunks. */
  readonly clients?: ClientOptions;
  /** With the real pipeline and state store. Default: execution is a hash. */
  readonly execution?: (member: number) => ExecutingOptions;
  /** Of honest nodes. Default: startValidator. */
  readonly code?: NodeCode;
  readonly clockSkewMs?: (member: number) => number;
  /** Default: a good drive's. */
  readonly syncMs?: number;
  /** The checkers promise nothing for them. */
  readonly byzantine?: ReadonlyMap<number, NodeCode>;
  readonly observers?: number;
  /** Nodes that are members of a later epoch, each with weight 1. Default: the same members. */
  readonly committees?: (epoch: number) => readonly number[];
  /** As the chain itself has sealed it. Default: by `committees`. */
  readonly sealedCommittee?: (epoch: number) => Committee | undefined;
  readonly chainName?: string;
  /** BLS and network keys that each node has besides its first. Default: none. */
  readonly furtherKeys?: number;
  /** Of genesis. Default: off. */
  readonly leaderReputation?: boolean;
  /** Of genesis, for whole nodes. Default: no account directory. */
  readonly distilled?: DistilledParameters;
  /** Of genesis, with the real pipeline. Default: no applications. */
  readonly calls?: SimulatedCalls;
  /** Of genesis, for whole nodes. Default: none. */
  readonly applications?: ChainApplications;
  /** Default: all faults happen. */
  readonly gate?: FaultGate;
}

export interface Cluster {
  readonly simulation: Simulation;
  readonly network: SimNetwork;
  readonly chain: SimulatedChain;
  readonly scheme: SignatureScheme;
  /** Members in the committee's order, then full nodes. */
  readonly nodes: readonly SimNode<Validator>[];
  readonly checks: ProtocolChecks;
  /** Of clients' transactions. Throws without clients. */
  readonly chunks: ChunkRecord;
  readonly executions: ExecutionRecord;
  readonly members: readonly number[];
  readonly honest: readonly number[];
  node(index: number): SimNode<Validator>;
  peer(index: number): PeerKey;
  /** The first are those of genesis or of a node's start. */
  keysOf(index: number): readonly NodeKeys[];
  /** By any of its network keys. */
  nodeWith(peer: PeerKey): number | undefined;
  leaderOf(view: number): number;
  start(indices?: readonly number[]): void;
  slowDisk(index: number, syncMs: number | undefined): void;
  /** Power cut, and a new process on the remaining files. */
  restart(index: number, mode: Parameters<SimNode<Validator>['crash']>[0]): void;
  /** Default: of all running honest nodes. */
  finalHeight(indices?: readonly number[]): number;
  /** Until each has `more` final blocks; throws after `withinMs`. */
  progress(more: number, withinMs: number, indices?: readonly number[]): Promise<void>;
  /** Call when all faults have ended: runs until each honest node has a further final block (`healings`). Throws after HEALED_WITHIN_MS. */
  healed(indices?: readonly number[]): Promise<void>;
  readonly healings: readonly number[];
  /** Throws after `withinMs`. */
  until(what: string, condition: () => boolean, withinMs: number): Promise<void>;
  run(forMs: number): Promise<void>;
  mark(text: string): void;
}

const SYNC_MS = 0.1;
/**
 * Timeouts grow to 10 s while nothing is final, and a view with a lost proposal waits for its own. So: one longest timeout and the view
 * after it.
 */
const HEALED_WITHIN_MS = 15_000;

const APPLICATION: OrderingOptions = { checkMsMax: 2, executeMsMax: 20, busy: true };

function reportingTelemetry(simulation: Simulation, node: string): Telemetry {
  return {
    event(type: string, fields: TelemetryFields) {
      simulation.emit({ type: 'note', node, name: 'report', text: type, data: { type, fields } });
    },
    count() {},
    gauge() {},
    observe() {},
    log() {},
  };
}

export function createCluster(options: ClusterOptions): Cluster {
  const { seed, weights, observers = 0, gate = createFaultGate() } = options;
  const { trim } = gate;
  const byzantine = new Map(
    [...(options.byzantine ?? [])].filter(([member]) => trim.liars?.includes(member) !== false),
  );
  const simulation = createSimulation({ seed });
  const network = createSimNetwork(simulation, calmed({ latency: uniformLatency(1, 5), ...options.network }, gate));
  const scheme = createScheme(seed, weights.length, options.realBls === true);
  const chain = createChain(seed, weights, scheme.publicKeys, {
    name: options.chainName,
    leaderReputation: options.leaderReputation,
    distilled: options.distilled,
    calls: options.calls,
    applications: options.applications,
  });
  const { committee, genesisHash, genesisId } = chain;
  const members = committee.members.map(({ index }) => index);
  const honest = members.filter((member) => !byzantine.has(member));
  const observerKeys = Array.from(
    { length: observers },
    (_, i) => toHex(sha256(utf8(`observer ${seed} ${i}`))) as PeerKey,
  );
  const peers = [...committee.members.map(({ peerKey }) => peerKey), ...observerKeys];
  const nodeKeys = peers.map((peer, index) => createNodeKeys(seed, index, peer, options.furtherKeys ?? 0));
  const indexOf = new Map<string, number>(
    nodeKeys.flatMap((keys, index) => keys.map(({ peerKey }) => [peerKey, index] as const)),
  );
  const nodeOf = (of: string) => peers[indexOf.get(of) ?? -1] ?? of;
  function committeeOf(epoch: Epoch): Committee {
    const sealed = options.sealedCommittee?.(epoch);
    if (sealed) return withFirstKeys(sealed, nodeOf);
    const numbers = epoch === committee.epoch ? undefined : options.committees?.(epoch);
    if (numbers === undefined) return { ...committee, epoch };
    const memberOf = (index: number) => ({
      weight: 1,
      blsPublicKey: scheme.signer(index).publicKey,
      peerKey: peers[index] as PeerKey,
    });
    return createCommittee(numbers.map(memberOf), epoch);
  }

  const checks = installCheckers(
    simulation,
    {
      genesisHash,
      genesisId,
      committee,
      scheme,
      committeeOf,
      isHonest: (of) => !byzantine.has(indexOf.get(of) ?? -1),
      nodeOf,
      memberOf: (of) => members[indexOf.get(of) ?? -1],
    },
    (of) => nodes[indexOf.get(of) ?? -1]?.disk.durableContents(),
  );

  const now = () => simulation.nowMs;
  const slowSyncs = new Map<number, number>();
  const nodes: readonly SimNode<Validator>[] = peers.map((peer, index) => {
    const node = createSimNode<Validator>(simulation, {
      peer,
      network,
      role: index < members.length ? 'validator' : 'full-node',
      clockSkewMs: options.clockSkewMs?.(index) ?? 0,
      telemetry: (of) => reportingTelemetry(simulation, of),
      diskLatencyMs: ({ operation }) =>
        operation.startsWith('sync') ? (slowSyncs.get(index) ?? options.syncMs ?? SYNC_MS) : 0,
      factory: (world) => (byzantine.get(index) ?? options.code ?? startValidator)(world, settingOf(index)),
    });
    return gatedNode(node, gate, now, String(index));
  });

  const chunks =
    options.clients && createChunkRecord({ isHonest: (of) => !byzantine.has(indexOf.get(of) ?? -1), holds });
  if (chunks) simulation.addChecker('chunks', chunks.checker);

  function holds(of: string, id: ChunkId): boolean | undefined {
    return nodes[indexOf.get(of) ?? -1]?.running?.payloads?.holds(id);
  }

  const isHonest = (of: PeerKey) => !byzantine.has(indexOf.get(of) ?? -1);
  const executions = options.execution && createExecutionRecord(genesisId, isHonest);

  function executionOf(index: number): Pick<ValidatorSetting, 'execution'> {
    const given = options.execution?.(index);
    if (given === undefined || executions === undefined) return {};
    return { execution: (world, home) => openExecution(world, chain, home, given, executions) };
  }

  function settingOf(index: number): ValidatorSetting {
    const self = members[index];
    const { verifier } = scheme;
    const tell = (found: CheckedLies) => {
      const node = peers[index] as string;
      simulation.emit({ type: 'note', node, name: QUORUM_CHECKED, text: found.liars.join(), data: found });
    };
    return {
      chain,
      self,
      ...(options.committees && { committeeOf }),
      signer: scheme.signer(index),
      keys: (nodeKeys[index] as readonly NodeKeys[]).map(({ blsKey, peerKey }) => ({
        signer: scheme.signer(blsKey),
        peerKey,
      })),
      committees: scheme,
      distilled: scheme.distilled,
      verifier: honest.includes(index) ? watchQuorums(verifier, new Set(byzantine.keys()), tell) : verifier,
      ...(options.consensus ? { options: options.consensus } : {}),
      accepted: () => options.applications?.acceptedBy(index) ?? [],
      ...(options.clients ? { payloads: disseminating(options.clients) } : {}),
      ...executionOf(index),
      application: { ...APPLICATION, ...options.application, ...options.applicationOf?.(index) },
    };
  }

  const node = (index: number) => nodes[index] as SimNode<Validator>;
  const heightOf = (index: number) => checks.finality.finalHeightOf(node(index).peer);

  function finalHeight(of: readonly number[] = honest.filter((member) => node(member).alive)): number {
    return Math.min(...of.map(heightOf));
  }

  async function until(what: string, condition: () => boolean, withinMs: number): Promise<void> {
    const untilMs = simulation.nowMs + withinMs;
    const { reason } = await simulation.run({ until: condition, untilMs });
    if (reason === 'condition') return;
    const heights = nodes.map((_, index) => heightOf(index));
    const views = nodes.map(({ running }) => running?.consensus?.status().view ?? '-');
    throw new Error(
      `liveness: ${what} not within ${withinMs} ms (at ${simulation.nowMs.toFixed(0)} ms: heights ${heights}; views ${views})`,
    );
  }

  async function progress(more: number, withinMs: number, of?: readonly number[]): Promise<void> {
    const goal = finalHeight(of) + more;
    await until(`height ${goal} final`, () => finalHeight(of) >= goal, withinMs);
  }

  const healings: number[] = [];

  return {
    simulation,
    network: gatedNetwork(network, gate, now, (of) => String(indexOf.get(of) ?? of)),
    chain,
    scheme,
    nodes,
    checks,
    get chunks() {
      if (chunks === undefined) throw new Error('this network has no clients');
      return chunks;
    },
    get executions() {
      if (executions === undefined) throw new Error('in this network execution is a hash');
      return executions;
    },
    members,
    honest,
    node,
    peer: (index) => node(index).peer,
    keysOf: (index) => nodeKeys[index] as readonly NodeKeys[],
    nodeWith: (peer) => indexOf.get(peer),
    leaderOf: createLeaderSchedule(committee, genesisHash) as (view: number) => number,
    start(of = nodes.map((_, index) => index)) {
      for (const index of of) node(index).start();
    },
    slowDisk(index, syncMs) {
      if (syncMs === undefined) slowSyncs.delete(index);
      else if (gate.permit(now(), `syncs of ${index} take ${syncMs} ms`)) slowSyncs.set(index, syncMs);
    },
    restart(index, mode) {
      node(index).crash(mode);
      node(index).start();
    },
    finalHeight,
    progress,
    healings,
    async healed(of) {
      const sinceMs = simulation.nowMs;
      await progress(1, HEALED_WITHIN_MS, of);
      healings.push(simulation.nowMs - sinceMs);
    },
    until,
    async run(forMs) {
      await simulation.run({ untilMs: simulation.nowMs + forMs * (trim.hurry ?? 1) });
    },
    mark(text) {
      simulation.emit({ type: 'note', node: '', name: 'mark', text });
    },
  };
}
