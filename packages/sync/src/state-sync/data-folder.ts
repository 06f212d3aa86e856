/**
 * Port: a node's data folder for state sync. Paths are relative to it.
 *
 * LevelDB does not write the ledger through the disk port, so state sync swaps whole folders.
 */
import type { Disk, KeyValue } from '@slipstream/ports';

interface DataPaths {
  readonly state: string;
  readonly ledger: string;
  /** Holds what a state sync has fetched so far. */
  readonly staging: string;
  /** Data of earlier blocks: the new ledger does not know them, so pruning would never reach them. */
  readonly outdated: readonly string[];
}

export interface DataFolder {
  /** Rooted at the data folder. */
  readonly disk: Disk;
  readonly paths: DataPaths;
  /** A file or a folder. */
  exists(path: string): Promise<boolean>;
  /** Replaces `to` by the folder `from`. Durable after `syncDirectory`. */
  replaceFolder(from: string, to: string): Promise<void>;
  /** Recursive; a missing folder is no error. */
  removeFolder(path: string): Promise<void>;
  /** Opens or creates a ledger's store. Rejects with DiskError `damaged`, which names the file. */
  openLedgerStore(path: string): Promise<KeyValue>;
  /** Of the file system of the folder. */
  freeBytes(): Promise<number>;
}

interface StagedPaths {
  readonly state: string;
  readonly ledger: string;
  readonly ready: string;
}

export function stagedPaths({ staging }: Pick<DataPaths, 'staging'>): StagedPaths {
  return { state: `${staging}/state`, ledger: `${staging}/ledger`, ready: `${staging}/ready` };
}
