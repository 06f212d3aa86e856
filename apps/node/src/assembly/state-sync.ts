import { createInlineVerifier } from '@slipstream/crypto/native';
import { type LedgerReader, openLedger } from '@slipstream/ledger';
import { decompress } from '@slipstream/network/compression';
import type { Config } from '@slipstream/node-home';
import type { Identity } from '@slipstream/node-home/identity';
import {
  type DataFolder,
  finishInstall,
  type Joining,
  mayBeFar,
  newestLinkedRecord,
  type OwnTip,
  openSources,
  type Sources,
  type StagedState,
  SyncError,
  stageIfFar,
} from '@slipstream/sync/state-sync';
import { type Committee, committeeOfRecord, type EpochRecord, recordOfGenesis } from '@slipstream/types';
import { checkCheckpoint, type OldTrust, oldTrust } from '../epochs/checkpoint.ts';
import { createNodeEpochs } from '../epochs/node-epochs.ts';
import { NodeError } from '../errors.ts';
import { diskFailure } from '../storage/disk-failure.ts';
import { openExclusively } from '../storage/exclusive-ledger.ts';
import type { FloorMark } from '../storage/floor-mark.ts';
import { syncFolder } from '../storage/sync-folder.ts';
import { openNetwork, parsePeers } from './network.ts';
import type { NodeWorld } from './node-world.ts';

interface JoinStart {
  /** Absolute path. */
  readonly folder: string;
  readonly identity: Identity;
  readonly config: Config;
  readonly world: NodeWorld;
}

interface StateSyncStart extends JoinStart {
  readonly floorMark: FloorMark;
}

interface SyncedState {
  /** The ledger's files were checked or written here. */
  readonly ledgerIsChecked: boolean;
  /** Before the sync; undefined: recent enough, or there is a checkpoint. */
  readonly oldTrust: OldTrust | undefined;
}

/** Throws NodeError `disk-failed`, `home-in-use`, `checkpoint-mismatch`, DiskError `damaged`. */
export async function syncState(start: StateSyncStart): Promise<SyncedState> {
  const { config, world } = start;
  const folder = syncFolder(start.folder);
  await folder.disk.makeDirectory('');
  return await asDiskFailure(async () => {
    await finishInstall(folder);
    const { own, record } = await ownData(start, folder);
    const known = { sinceMs: own.timestampMs, epoch: record.epoch };
    const trust = oldTrust(config, known, world.clock.wallMs());
    if (takesStates(config)) await join(start, folder, { own, record });
    return { ledgerIsChecked: takesStates(config), oldTrust: trust };
  });
}

/** Whether this node takes over states of others. */
export function takesStates(config: Config): boolean {
  return config['sync.distance'] > 0 && !config['retention.archive'];
}

/** Call when nothing has the data open. Throws NodeError `disk-failed`, or `version-unknown`: nothing is installed then. */
export function installStaged(staged: StagedState, floorMark: FloorMark): Promise<void> {
  return asDiskFailure(async () => {
    floorMark.raise(staged.version);
    await staged.install();
  });
}

async function asDiskFailure<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof SyncError && error.code === 'swap-failed' ? diskFailure(error.message, error) : error;
  }
}

async function join(start: StateSyncStart, folder: DataFolder, { own, record }: OwnData): Promise<void> {
  const { identity, config, world } = start;
  if (!mayBeFar(own, world.clock.wallMs(), config['sync.distance'])) return;
  const committee = committeeOfRecord(record);
  const epochs = createNodeEpochs(identity, [record], record.epoch);
  const sources = () => openSources(openNetwork(identity, config, world, epochs), committee, world);
  const joining = await stageIfFar(joinParts(start, folder, sources), joinSetting(start, record), own);
  if (typeof joining !== 'string') await installStaged(joining, start.floorMark);
}

/** Stages a state beside the running node, which has committed `height`. */
export async function joinBeside(
  start: JoinStart,
  sources: (committee: Committee) => Promise<Sources>,
  { height, ledger }: { readonly height: number; readonly ledger: LedgerReader },
  signal: AbortSignal,
): Promise<Joining> {
  const record = (await newestLinkedRecord(ledger)) ?? recordOfGenesis(start.identity.genesis);
  const committee = committeeOfRecord(record);
  const parts = joinParts(start, syncFolder(start.folder), () => sources(committee));
  return stageIfFar({ ...parts, signal }, joinSetting(start, record), { height }).catch((error: unknown) => {
    if (error instanceof NodeError && error.code === 'checkpoint-mismatch') start.world.fail(error);
    throw error;
  });
}

function joinParts({ world }: JoinStart, folder: DataFolder, sources: () => Promise<Sources>) {
  const { clock, random, telemetry } = world;
  const { verifier } = createInlineVerifier({ committees: [] });
  return { folder, clock, random, telemetry, verifier, compression: { decompress }, openSources: sources };
}

function joinSetting({ identity, config }: JoinStart, record: EpochRecord) {
  const { genesis, genesisHash, peer } = identity;
  return {
    genesisHash,
    record,
    checkRecord: (led: EpochRecord) => checkCheckpoint(config, led),
    self: peer,
    parameters: genesis.state,
    distance: config['sync.distance'],
    named: parsePeers(config['network.peers']).map(({ peer }) => peer),
  };
}

interface OwnData {
  readonly own: OwnTip;
  /** Of the newest epoch that the own handovers lead to. */
  readonly record: EpochRecord;
}

/** Throws DiskError `damaged`. */
async function ownData(start: StateSyncStart, { exists, paths }: DataFolder): Promise<OwnData> {
  const { genesis, genesisHash } = start.identity;
  const { telemetry } = start.world;
  const none = { own: { height: 0, timestampMs: genesis.timestampMs }, record: recordOfGenesis(genesis) };
  if (!(await exists(paths.ledger))) return none;
  const keyValue = await openExclusively(start.folder, { telemetry });
  const ledger = await openLedger({ keyValue, telemetry }, { genesisHash });
  try {
    const own = (await ledger.tip()) ?? none.own;
    return { own, record: (await newestLinkedRecord(ledger)) ?? none.record };
  } finally {
    await ledger.close();
  }
}
