import { createInlineVerifier } from '@slipstream/crypto/native';
import { openLedger } from '@slipstream/ledger';
import { decompress } from '@slipstream/network/compression';
import type { Config } from '@slipstream/node-home';
import type { Identity } from '@slipstream/node-home/identity';
import { type DataFolder, finishInstall, joinIfBehind, type OwnTip, SyncError } from '@slipstream/sync/state-sync';
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
  try {
    await finishInstall(folder);
    if (config['sync.distance'] === 0 || config['retention.archive']) return { ledgerIsChecked: false };
    await join(start, folder);
    return { ledgerIsChecked: true };
  } catch (error) {
    throw error instanceof SyncError && error.code === 'swap-failed' ? diskFailure(error.message, error) : error;
  }
}

async function join(start: StateSyncStart, folder: DataFolder): Promise<void> {
  const { identity, config, world } = start;
  const { clock, random, telemetry } = world;
  const { genesis, genesisHash, committee } = identity;
  const { verifier } = createInlineVerifier({
    committeeKeys: committee.members.map(({ blsPublicKey }) => blsPublicKey),
  });
  const own = await ownTip(start, folder);
  await joinIfBehind(
    {
      folder,
      clock,
      random,
      telemetry,
      verifier,
      compression: { decompress },
      openTransport: () => openNetwork(identity, config, world),
    },
    {
      genesisHash,
      committee,
      self: identity.peer,
      parameters: genesis.state,
      distance: config['sync.distance'],
      peersNamed: config['network.peers'].length,
    },
    own,
  );
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
