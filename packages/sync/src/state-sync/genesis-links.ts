/**
 * Files of a young chain that end in a batch of genesis: no digest names such a batch, only the batch after it does.
 *
 *   digest of height 0 --> last batch of genesis --parent--> the one before --parent--> ... as far down as files end in them
 *
 * All other files end in a batch of a block. Its checksum is in a digest, and covers which batch it follows: nothing is left
 * to ask of them. So this costs nothing where it would take long: a chain with more blocks than logs has no such file.
 */
import type { Disk, Random, Telemetry } from '@slipstream/ports';
import { openStateStore, StateError, type StateParameters } from '@slipstream/state';
import type { GenesisHash } from '@slipstream/types';
import { SyncError } from '../errors.ts';
import { lowestEnd, type Manifest, ownPreimage } from './manifest.ts';

export interface LinksSetting {
  readonly disk: Disk;
  readonly telemetry: Telemetry;
  readonly random: Random;
  readonly genesisHash: GenesisHash;
  readonly parameters: StateParameters;
}

/**
 * Opens the installed files where they are staged, which follows all parents. Each is what the manifest says of it: that they
 * do not fit together is the lie of the peers that reported this snapshot. Throws SyncError `state-refuted`.
 */
export async function checkGenesisLinks(
  { disk, telemetry, random, genesisHash, parameters }: LinksSetting,
  directory: string,
  manifest: Manifest,
): Promise<void> {
  const { snapshot } = manifest;
  const own = ownPreimage(manifest);
  if (own !== undefined && lowestEnd(snapshot, own) >= 0) return;
  // Nothing is created: its journal is there.
  const options = { directory, genesisHash, genesisBlock: snapshot.block, parameters, hashKey: random.bytes(8) };
  try {
    const { store } = await openStateStore({ disk, telemetry }, options);
    await store.close();
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const message = 'state sync: the files of genesis in this snapshot are not those that its blocks go on from';
    throw new SyncError('state-refuted', message, { batch: snapshot.batch }, error);
  }
}
