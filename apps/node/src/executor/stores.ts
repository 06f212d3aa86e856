import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChunkFiles } from '@slipstream/chunk-files';
import type { Applications } from '@slipstream/execution';
import { type Ledger, openLedger } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import { openState } from '@slipstream/node-home/state';
import { createDisk } from '@slipstream/platform';
import type { Disk, Random, Telemetry } from '@slipstream/ports';
import type { StateStore } from '@slipstream/state';
import { openChunks } from '../storage/chunk-store.ts';
import { closeAll } from '../storage/close-all.ts';
import { openExclusively } from '../storage/exclusive-ledger.ts';
import type { Watch } from '../storage/seals/sealed-level.ts';
import type { ExecutorSetting } from './wire.ts';

export interface ExecutorStores {
  readonly disk: Disk;
  readonly ledger: Ledger;
  readonly state: StateStore;
  /** Serialized signed chunks, by id. */
  readonly chunks: ChunkFiles;
  close(): Promise<void>;
}

export interface StoreComponents {
  /** Of genesis. Default: none. */
  readonly applications?: Applications | undefined;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly watch: Watch;
}

/** Throws NodeError `home-in-use`, DiskError `damaged`, and errors of the packages that own the files. */
export async function openExecutorStores(
  setting: Pick<ExecutorSetting, 'folder' | 'genesis' | 'genesisHash' | 'ledgerIsChecked' | 'snapshots'>,
  { random, telemetry, watch, applications }: StoreComponents,
): Promise<ExecutorStores> {
  const { folder, genesis, genesisHash, ledgerIsChecked, snapshots } = setting;
  const disk = createDisk({ root: folder });
  const keyValue = await openExclusively(folder, { shared: true, isChecked: ledgerIsChecked, telemetry, watch });
  const files = { disk, random, directory: DATA.blockFiles };
  const ledger = await openLedger({ keyValue, files, telemetry }, { genesisHash });
  const chunks = await openChunks(folder, genesisHash, { random, telemetry, watch });
  // Old snapshots would retain the space of replaced files.
  if (snapshots === undefined) await rm(join(folder, DATA.snapshots), { recursive: true, force: true });
  const state = await openState(disk, { genesis, genesisHash }, { random, telemetry }, { snapshots, applications });
  return {
    disk,
    ledger,
    state,
    chunks,
    close: () => closeAll([state, ledger, chunks]),
  };
}
