import { createInlineVerifier } from '@slipstream/crypto/native';
import { openLedger } from '@slipstream/ledger';
import { decompress } from '@slipstream/network/compression';
import type { Config } from '@slipstream/node-home';
import type { Identity } from '@slipstream/node-home/identity';
import {
  type DataFolder,
  finishInstall,
  type Joining,
  mayBeFar,
  type OwnTip,
  openSources,
  type Sources,
  type StagedState,
  SyncError,
  stageIfFar,
} from '@slipstream/sync/state-sync';
import { epochKeysOf, GENESIS_EPOCH, recordOfGenesis } from '@slipstream/types';
import { createNodeEpochs } from '../epochs/node-epochs.ts';
import { diskFailure } from '../storage/disk-failure.ts';
import { openExclusively } from '../storage/exclusive-ledger.ts';
import { syncFolder } from '../storage/sync-folder.ts';
import { openNetwork } from './network.ts';
import type { NodeWorld } from './node-world.ts';

interface StateSyncStart {
  /** Absolute path. */
  readonly folder: string;
  readonly identity: Identity;
  readonly config: Config;
  readonly world: NodeWorld;
}

/** `ledgerIsChecked`: the ledger's files were checked or written here. Throws NodeError `disk-failed`, `home-in-use`, DiskError `damaged`. */
export async function syncState(start: StateSyncStart): Promise<{ readonly ledgerIsChecked: boolean }> {
  const { config } = start;
  const folder = syncFolder(start.folder);
  await folder.disk.makeDirectory('');
  return await asDiskFailure(async () => {
    await finishInstall(folder);
    if (!takesStates(config)) return { ledgerIsChecked: false };
    await join(start, folder);
    return { ledgerIsChecked: true };
  });
}

/** Whether this node takes over states of others. */
export function takesStates(config: Config): boolean {
  return config['sync.distance'] > 0 && !config['retention.archive'];
}

/** Call when nothing has the data open. Throws NodeError `disk-failed`. */
export function installStaged(staged: StagedState): Promise<void> {
  return asDiskFailure(() => staged.install());
}

async function asDiskFailure<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof SyncError && error.code === 'swap-failed' ? diskFailure(error.message, error) : error;
  }
}

async function join(start: StateSyncStart, folder: DataFolder): Promise<void> {
  const { identity, config, world } = start;
  const own = await ownTip(start, folder);
  if (!mayBeFar(own, world.clock.wallMs(), config['sync.distance'])) return;
  const { committee } = identity;
  const epochs = createNodeEpochs(identity, [recordOfGenesis(identity.genesis)], GENESIS_EPOCH);
  const sources = () => openSources(openNetwork(identity, config, world, epochs), committee, world);
  const joining = await stageIfFar(joinParts(start, folder, sources), joinSetting(start), own);
  if (typeof joining !== 'string') await joining.install();
}

/** Stages a state beside the running node, which has committed `height`. */
export function joinBeside(
  start: StateSyncStart,
  sources: () => Promise<Sources>,
  height: number,
  signal: AbortSignal,
): Promise<Joining> {
  const parts = joinParts(start, syncFolder(start.folder), sources);
  return stageIfFar({ ...parts, signal }, joinSetting(start), { height });
}

function joinParts({ identity, world }: StateSyncStart, folder: DataFolder, sources: () => Promise<Sources>) {
  const { clock, random, telemetry } = world;
  const { verifier } = createInlineVerifier({ committees: [epochKeysOf(identity.committee)] });
  return { folder, clock, random, telemetry, verifier, compression: { decompress }, openSources: sources };
}

function joinSetting({ identity, config }: StateSyncStart) {
  const { genesis, genesisHash, committee, peer } = identity;
  return {
    genesisHash,
    committee,
    self: peer,
    parameters: genesis.state,
    distance: config['sync.distance'],
    peersNamed: config['network.peers'].length,
  };
}

/** Throws DiskError `damaged`. */
async function ownTip(start: StateSyncStart, { exists, paths }: DataFolder): Promise<OwnTip> {
  const { genesis, genesisHash } = start.identity;
  const { telemetry } = start.world;
  const none = { height: 0, timestampMs: genesis.timestampMs };
  if (!(await exists(paths.ledger))) return none;
  const keyValue = await openExclusively(start.folder, { telemetry });
  const ledger = await openLedger({ keyValue, telemetry }, { genesisHash });
  try {
    return (await ledger.tip()) ?? none;
  } finally {
    await ledger.close();
  }
}
