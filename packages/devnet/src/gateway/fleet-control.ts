/**
 * Actions of the fleet console: stop, start, pause, partition, invalid signatures.
 *
 *   act --> signals to processes, or faults set at nodes
 */
import type { Cluster, ClusterNode } from '../cluster.ts';

export const FLEET_ACTS = [
  'stop',
  'kill',
  'start',
  'pause',
  'resume',
  'corrupt',
  'restore',
  'partition',
  'heal',
] as const;
export type FleetAct = (typeof FLEET_ACTS)[number];

export interface FleetMember {
  readonly name: string;
  /** Index in the committee; null: a full node. */
  readonly validator: number | null;
  /** Path below this gateway of the node's whole API. */
  readonly path: string;
  readonly process: 'running' | 'paused' | 'stopped';
  readonly restarts: number;
  readonly corrupt: boolean;
  /** Nodes to which the link is cut. */
  readonly cutFrom: readonly string[];
}

export interface FleetControl {
  members(): readonly FleetMember[];
  /** `names`: the target nodes; for a partition, one side. Throws RangeError for an invalid combination. */
  act(act: FleetAct, names: readonly string[]): Promise<void>;
}

export const FLEET_PATH = '/fleet';

export function createFleetControl(cluster: Cluster): FleetControl {
  const { nodes } = cluster;

  function members(): readonly FleetMember[] {
    const nameOf = new Map(nodes.map(({ peerKey, name }) => [peerKey, name]));
    return nodes.map(({ name, validator, process }) => ({
      name,
      validator: validator ?? null,
      path: `${FLEET_PATH}/${name}`,
      process: process.paused ? 'paused' : process.running ? 'running' : 'stopped',
      restarts: process.restarts,
      corrupt: process.faults.corruptSignatures,
      cutFrom: process.faults.cutPeers.flatMap((peer) => nameOf.get(peer) ?? []),
    }));
  }

  function setCorrupt({ process }: ClusterNode, corruptSignatures: boolean): void {
    process.setFaults({ ...process.faults, corruptSignatures });
  }

  function partition(side: ReadonlySet<string>): void {
    for (const { name, process } of nodes) {
      const others = nodes.filter((other) => side.has(other.name) !== side.has(name));
      process.setFaults({ ...process.faults, cutPeers: others.map(({ peerKey }) => peerKey) });
    }
  }

  async function act(what: FleetAct, names: readonly string[]): Promise<void> {
    const chosen = names.map((name) => nodes.find((node) => node.name === name));
    if (chosen.some((node) => node === undefined)) throw new RangeError(`there is no node ${names.join(' or ')}`);
    const targets = chosen.filter((node) => node !== undefined);
    if (targets.length === 0 && what !== 'heal') throw new RangeError(`${what}: name at least one node`);
    switch (what) {
      case 'stop':
        return void (await Promise.all(targets.map(({ process }) => process.stop())));
      case 'kill':
        return cluster.kill(names);
      case 'start': {
        const stopped = targets.filter(({ process }) => !process.running).map(({ name }) => name);
        // The console shows what a node lacks to be ready, as on a chain that stands still.
        return cluster.start(stopped, 'answers');
      }
      case 'pause':
        for (const { process } of targets) process.pause();
        return;
      case 'resume':
        for (const { process } of targets) process.resume();
        return;
      case 'corrupt':
      case 'restore':
        for (const node of targets) setCorrupt(node, what === 'corrupt');
        return;
      case 'partition':
        if (targets.length === nodes.length)
          throw new RangeError('partition: leave at least one node on the other side');
        return partition(new Set(names));
      case 'heal':
        return partition(new Set());
      default:
        return what satisfies never;
    }
  }

  return { members, act };
}
