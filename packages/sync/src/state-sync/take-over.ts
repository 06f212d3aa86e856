/** Fetches and stages one snapshot: the last minute's blocks, files. */
import type { Clock, Compression, Random, Telemetry, Verifier } from '@slipstream/ports';
import type { StateParameters } from '@slipstream/state';
import { type GenesisHash, type StateDigest, stateDigestOf } from '@slipstream/types';
import { SyncError } from '../errors.ts';
import { carriedEpochs } from './carried-epochs.ts';
import { type DataFolder, stagedPaths } from './data-folder.ts';
import { fetchRecentBlocks } from './fetch-blocks.ts';
import { fetchFiles } from './fetch-files.ts';
import { install, stage } from './install.ts';
import { ownPreimage } from './manifest.ts';
import { createProgress } from './progress.ts';
import { clearStaged } from './room.ts';
import type { Sources } from './sources.ts';
import type { Found } from './survey.ts';

export interface TakeOverComponents {
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly compression: Pick<Compression, 'decompress'>;
  readonly verifier: Pick<Verifier, 'checkBatch'>;
}

export interface TakeOverSetting {
  readonly genesisHash: GenesisHash;
  readonly parameters: StateParameters;
}

/** A state that is fetched, checked and staged beside the present one. */
export interface StagedState {
  readonly height: number;
  /** Newest one of the rules in its records; 0: only genesis. */
  readonly version: number;
  /** Call when nothing has the present data open. Throws SyncError `swap-failed`. */
  install(): Promise<void>;
}

/** `failed`: not fetched whole. `refuted`: no state of this chain. */
export async function takeOver(
  { folder, clock, random, telemetry, compression, verifier }: TakeOverComponents,
  { genesisHash, parameters }: TakeOverSetting,
  sources: Sources,
  { manifest, epochs }: Pick<Found, 'manifest' | 'epochs'>,
): Promise<StagedState | 'failed' | 'refuted'> {
  const { history } = parameters;
  const own = ownPreimage(manifest);
  if (own === undefined) return 'failed';
  const stateDigest: StateDigest = stateDigestOf(genesisHash, own);
  const { snapshot } = manifest;
  const { disk } = folder;
  const directory = stagedPaths(folder.paths).state;
  await disk.makeDirectory(directory);
  const progress = createProgress({ clock, telemetry }, snapshot);
  const target = { folder, telemetry, random, genesisHash, parameters };
  let [fetched, version] = [0, 0];
  try {
    const setting = { directory, snapshot, stateDigest, genesisHash, history };
    await clearStaged(folder, snapshot);
    // Sequential: a fetch that outlives a failed attempt would write into the next one's files.
    const blocks = await fetchRecentBlocks({ sources, clock, genesisHash }, manifest, history);
    await fetchFiles({ disk, clock, sources, compression, onBytes: progress.add }, setting);
    const carried = await carriedEpochs({ sources, verifier, epochs }, genesisHash, blocks);
    version = Math.max(0, ...carried.entries.map(({ record }) => record.version));
    await stage(target, manifest, blocks, carried);
    fetched = blocks.length;
  } catch (error) {
    telemetry.log('warn', 'state sync: an attempt failed; the next one keeps the files that were fetched whole', {
      error: String(error),
    });
    return error instanceof SyncError && error.code === 'state-refuted' ? 'refuted' : 'failed';
  } finally {
    progress.stop();
  }
  return {
    height: own.height,
    version,
    async install() {
      await install(target);
      progress.done(own.height, fetched);
    },
  };
}
