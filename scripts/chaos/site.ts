/** What faults act on: the processes of a network, the links between them, their clocks and disks. */
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
  /** The one whose data lies on the small disk. */
  readonly smallDiskNode: string;
  readonly fullNode: string | undefined;
  /** A death of this node is part of the plan, until it is started again. */
  expectDeath(name: string): void;
  /** Resolves when it has ended by itself; false when it still runs after `timeoutMs`. */
  untilDead(name: string, timeoutMs: number): Promise<boolean>;
  /** Kills and waits until it is gone. */
  kill(names: readonly string[]): Promise<void>;
  /** Starts what does not run; does not wait until it is ready. */
  revive(names: readonly string[]): void;
}

/** A fault of one episode, as drawn from the seed. */
export interface Fault {
  readonly kind: string;
  /** Names of nodes, where the kind has victims. */
  readonly victims: readonly string[];
  /** What else was drawn, for people and for the kind itself. */
  readonly values: Readonly<Record<string, number>>;
}
