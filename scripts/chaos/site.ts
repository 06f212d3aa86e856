/** The targets of faults: processes of a network, links between them, clocks and disks. */
import type { Cluster } from '../devnet/cluster.ts';
import type { Fabric } from './fabric.ts';
import type { SmallDisk } from './small-disk.ts';
import type { WallClocks } from './wall-clocks.ts';

export interface Site {
  readonly cluster: Cluster;
  readonly fabric: Fabric;
  readonly clocks: WallClocks;
  /** Undefined where this machine cannot mount one. */
  readonly smallDisk: SmallDisk | undefined;
  readonly validators: readonly string[];
  /** The node with its data on the small disk. */
  readonly smallDiskNode: string;
  readonly fullNode: string | undefined;
  /** The node's death is expected until it is started again. */
  expectDeath(name: string): void;
  /** Resolves when the process has ended; false when it still runs after `timeoutMs`. */
  untilDead(name: string, timeoutMs: number): Promise<boolean>;
  /** Kills, and waits until the processes are gone. */
  kill(names: readonly string[]): Promise<void>;
  /** Starts stopped nodes, without waiting until they are ready. */
  revive(names: readonly string[]): void;
}

/** A fault of one episode, as drawn from the seed. */
export interface Fault {
  readonly kind: string;
  /** Names of nodes, for kinds with victims. */
  readonly victims: readonly string[];
  readonly values: Readonly<Record<string, number>>;
}
