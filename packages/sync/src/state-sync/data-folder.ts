/** Port: a node's data folder for state sync. Paths are relative to it. LevelDB bypasses the disk port, so whole folders are swapped. */
import type { Disk, KeyValue } from '@slipstream/ports';

interface DataPaths {
  readonly state: string;
  readonly ledger: string;
  /** What a state sync has fetched. */
  readonly staging: string;
  /** Data of earlier blocks, which the new ledger does not know and so would never prune. */
  readonly outdated: readonly string[];
}

export interface DataFolder {
  readonly disk: Disk;
  readonly paths: DataPaths;
  exists(path: string): Promise<boolean>;
  /** Durable after `syncDirectory`. */
  replaceFolder(from: string, to: string): Promise<void>;
  /** Recursive; a missing folder is no error. */
  removeFolder(path: string): Promise<void>;
  /** Opens or creates. Rejects with DiskError `damaged`, which names the file. */
  openLedgerStore(path: string): Promise<KeyValue>;
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
