/** A simulated network of validators, with the protocol's checkers on every event. */
import type { ConsensusOptions } from '@slipstream/consensus';
import type { PeerKey, Telemetry, TelemetryFields } from '@slipstream/ports';
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
import { installChecks, type ProtocolChecks } from './checkers.ts';
import { createChain, type SimulatedChain } from './committee.ts';
import { createStandInSigner, createStandInVerifier } from './keyed-hash-crypto.ts';
import type { OrderingOptions } from './ordering-application.ts';
import { startValidator, type Validator, type ValidatorSetting } from './validator.ts';

export interface ClusterOptions {
  readonly seed: string;
  /** One entry a validator. */
  readonly weights: readonly number[];
  readonly network?: SimNetworkOptions;
  readonly consensus?: Partial<ConsensusOptions>;
  readonly application?: Partial<OrderingOptions>;
  readonly clockSkewMs?: (member: number) => number;
  /** Members whose code is not the honest one, or not all of it: what they do instead. */
  readonly byzantine?: ReadonlyMap<number, (world: NodeWorld, setting: ValidatorSetting) => Promise<Validator>>;
}

export interface Cluster {
  readonly simulation: Simulation;
  readonly network: SimNetwork;
  readonly chain: SimulatedChain;
  readonly nodes: readonly SimNode<Validator>[];
  readonly checks: ProtocolChecks;
  readonly honest: readonly number[];
  node(member: number): SimNode<Validator>;
  peer(member: number): PeerKey;
  start(members?: readonly number[]): void;
  /** Lowest final height among these (default: all honest that are alive). */
  finalHeight(members?: readonly number[]): number;
  /** Runs until each of these has `more` further final blocks; throws when that takes longer than `withinMs`. */
  progress(more: number, withinMs: number, members?: readonly number[]): Promise<void>;
  run(forMs: number): Promise<void>;
}

const APPLICATION: OrderingOptions = { checkMsMax: 2, executeMsMax: 20, busy: true };

/** Reports of a node go into the event hash and to the checkers. */
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
  const { seed, weights, byzantine = new Map() } = options;
  const simulation = createSimulation({ seed });
  const network = createSimNetwork(simulation, { latency: uniformLatency(1, 5), ...options.network });
  const chain = createChain(seed, weights);
  const verifier = createStandInVerifier(seed);
  const members = chain.committee.members.map(({ index }) => index);
  const honest = members.filter((member) => !byzantine.has(member));
  const honestPeers = new Set<string>(honest.map((member) => peer(member)));
  const checks = installChecks(simulation, network, chain, (of) => honestPeers.has(of));

  function peer(member: number): PeerKey {
    return chain.committee.members[member]?.peerKey as PeerKey;
  }

  const nodes = members.map((member) =>
    createSimNode<Validator>(simulation, {
      peer: peer(member),
      network,
      clockSkewMs: options.clockSkewMs?.(member) ?? 0,
      telemetry: (of) => reportingTelemetry(simulation, of),
      factory: (world) => {
        const setting: ValidatorSetting = {
          chain,
          self: member,
          signer: createStandInSigner(seed, member),
          verifier,
          ...(options.consensus ? { options: options.consensus } : {}),
          application: { ...APPLICATION, ...options.application },
        };
        return (byzantine.get(member) ?? startValidator)(world, setting);
      },
    }),
  );

  function finalHeight(of: readonly number[] = honest.filter((member) => nodes[member]?.alive)): number {
    return Math.min(...of.map((member) => checks.finalHeightOf(peer(member))));
  }

  async function progress(more: number, withinMs: number, of?: readonly number[]): Promise<void> {
    const goal = finalHeight(of) + more;
    const untilMs = simulation.nowMs + withinMs;
    const { reason } = await simulation.run({ until: () => finalHeight(of) >= goal, untilMs });
    if (reason !== 'condition') {
      const heights = honest.map((member) => checks.finalHeightOf(peer(member)));
      throw new Error(`liveness: height ${goal} not final within ${withinMs} ms (heights ${heights}; seed ${seed})`);
    }
  }

  return {
    simulation,
    network,
    chain,
    nodes,
    checks,
    honest,
    node: (member) => nodes[member] as SimNode<Validator>,
    peer,
    start(of = members) {
      for (const member of of) nodes[member]?.start();
    },
    finalHeight,
    progress,
    async run(forMs) {
      await simulation.run({ untilMs: simulation.nowMs + forMs });
    },
  };
}
