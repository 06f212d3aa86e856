/**
 * A node's data folder, as state sync sees it. Paths are relative to it.
 *
 * The disk port knows files. LevelDB writes the ledger's past that port, so state sync swaps folders as wholes.
 */
import type { Disk, KeyValue } from '@slipstream/ports';

export interface DataPaths {
  readonly state: string;
  readonly ledger: string;
  /** Where a state sync keeps what it has fetched so far. */
  readonly staging: string;
  /** Of the blocks before: the new ledger does not know them, so retention would never come to them. */
  readonly outdated: readonly string[];
}

export interface DataFolder {
  /** Its root is the data folder. */
  readonly disk: Disk;
  readonly paths: DataPaths;
  /** A file or a folder. */
  exists(path: string): Promise<boolean>;
  /** Removes what is at `to`, then moves the folder `from` there. Durable after `syncDirectory`. */
  replaceFolder(from: string, to: string): Promise<void>;
  /** With all that is in it; nothing happens when it is missing. */
  removeFolder(path: string): Promise<void>;
  /** Opens or makes a ledger's store. `checked`: every byte is looked at first, and DiskError `damaged` says what is wrong. */
  openLedgerStore(path: string, options: { readonly checked: boolean }): Promise<KeyValue>;
  /** Of the file system that holds the folder. */
  freeBytes(): Promise<number>;
}

export interface StagedPaths {
  readonly state: string;
  readonly ledger: string;
  readonly ready: string;
}

export function stagedPaths({ staging }: Pick<DataPaths, 'staging'>): StagedPaths {
  return { state: `${staging}/state`, ledger: `${staging}/ledger`, ready: `${staging}/ready` };
}
