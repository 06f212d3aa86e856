import type { Cluster } from '@slipstream/devnet';
import type { Fabric } from './fabric.ts';
import type { SlowDisks } from './slow-disks.ts';
import type { SmallDisk } from './small-disk.ts';
import type { WallClocks } from './wall-clocks.ts';

export interface Site {
  readonly cluster: Cluster;
  readonly fabric: Fabric;
  readonly clocks: WallClocks;
  readonly disks: SlowDisks;
  /** Undefined: this machine cannot mount one. */
  readonly smallDisk: SmallDisk | undefined;
  /** Members of the current epoch. */
  readonly validators: readonly string[];
  readonly smallDiskNode: string;
  readonly fullNode: string | undefined;
  /** The node's death is expected until it is started again. */
  expectDeath(name: string): void;
  /** False: it still runs after `timeoutMs`. */
  untilDead(name: string, timeoutMs: number): Promise<boolean>;
  /** Resolves when the processes are gone. */
  kill(names: readonly string[]): Promise<void>;
  /** Does not wait until they are ready. */
  revive(names: readonly string[]): void;
}

export interface Fault {
  readonly kind: string;
  /** Nodes, for kinds with victims. */
  readonly victims: readonly string[];
  readonly values: Readonly<Record<string, number>>;
}
