/**
 * Checks files of a young chain that end in a batch of genesis: only the batch after it names such a batch.
 *
 *   digest of height 0 --> last batch of genesis --parent--> the one before --parent--> ... down to the lowest batch that ends a file
 *
 * Any other file ends in a batch whose checksum a digest contains. A chain with more blocks than logs has no file that ends in genesis, so
 * the check is free where it would be slow.
 */
import type { Disk, Random, Telemetry } from '@slipstream/ports';
import { openStateStore, StateError, type StateParameters } from '@slipstream/state';
import type { GenesisHash } from '@slipstream/types';
import { SyncError } from '../errors.ts';
import { lowestEnd, type Manifest, ownPreimage } from './manifest.ts';

interface LinksSetting {
  readonly disk: Disk;
  readonly telemetry: Telemetry;
  readonly random: Random;
  readonly genesisHash: GenesisHash;
  readonly parameters: StateParameters;
}

/**
 * Opening the staged files follows all parents. They match the manifest, so a broken link means that its peers lied. Throws SyncError
 * `state-refuted`.
 */
export async function checkGenesisLinks(
  { disk, telemetry, random, genesisHash, parameters }: LinksSetting,
  directory: string,
  manifest: Manifest,
): Promise<void> {
  const { snapshot } = manifest;
  const own = ownPreimage(manifest);
  if (own !== undefined && lowestEnd(snapshot, own) >= 0) return;
  // The journal exists, so opening creates nothing.
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
