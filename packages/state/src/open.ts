/** Opens the state store of a directory, creating it from the genesis state when there is none. */
import type { Disk, Telemetry } from '@slipstream/ports';
import { checkParameters, type StateParameters } from './parameters.ts';
import { openSimpleStore } from './simple-store.ts';
import type { Recovered, StateStore, Write } from './store.ts';

export interface StateComponents {
  readonly disk: Disk;
  readonly telemetry: Telemetry;
}

export interface StateOptions {
  /** Folder of this store alone; made when missing. */
  readonly directory: string;
  /** 32 bytes; every file carries it. */
  readonly genesisHash: Uint8Array;
  /** The block that the genesis state belongs to: the first tip. */
  readonly genesisBlock: string;
  /** The genesis state. Iterated twice, so not a generator object; empty by default. */
  readonly genesisBatch?: Iterable<Write>;
  /** Part of the genesis: equal on all nodes. */
  readonly parameters?: Partial<StateParameters>;
  /** 8 secret bytes that spread keys over the index, so that nobody can choose keys that collide. */
  readonly hashKey?: Uint8Array;
}

/** Throws StateError `corrupt`, `missing` or `foreign`, each naming the file, and DiskError. */
export function openStateStore(
  components: StateComponents,
  options: StateOptions,
): Promise<{ readonly store: StateStore; readonly recovered: Recovered }> {
  checkParameters(options.parameters);
  return openSimpleStore(components, options);
}
