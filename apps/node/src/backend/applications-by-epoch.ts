/**
 * Which artifacts the blocks of an epoch run: its record names them (applications.md, A15).
 *
 *   epoch --its record, in the state--> hashes --artifacts of this home--> manifests
 */
import type { ApplicationReads, InstalledApplication, InstalledApplications } from '@slipstream/api';
import { readHead, recordHeadKey } from '@slipstream/execution';
import { manifestsOf } from '@slipstream/node-home/applications';
import { sha256, toHex } from '@slipstream/primitives';
import { bindsNameAlone } from '@slipstream/types';
import { readTogether } from '../executor/fetched-entries.ts';
import type { ReadStateValues } from '../executor/state-reader.ts';

interface EpochSources {
  readonly read: ReadStateValues;
  /** Those of genesis, in its order, and those that were accepted for upgrades. */
  readonly artifacts: readonly Uint8Array[];
  /** Whether genesis names applications. */
  readonly hasApplications: boolean;
}

/** Epochs whose lists are remembered: 5,000 make some 100 kB. */
const EPOCHS_MAX = 5_000;
const NONE: InstalledApplications = [];

export function createApplicationsByEpoch({
  read,
  artifacts,
  hasApplications,
}: EpochSources): ApplicationReads['inEpoch'] {
  const installed = new Map<string, InstalledApplication>();
  for (const [i, manifest] of manifestsOf(artifacts).entries()) {
    const artifact = artifacts[i] as Uint8Array;
    const hash = sha256(artifact);
    installed.set(toHex(hash), { hash, artifact, manifest });
  }
  const byEpoch = new Map<number, InstalledApplications>();
  const lists = new Map<string, InstalledApplications>();

  /** A development chain's genesis may bind the name alone: then what is in the home runs. */
  function artifactOf(hash: Uint8Array, number: number): Uint8Array {
    const founding = artifacts[number];
    return founding !== undefined && bindsNameAlone({ hash }) ? sha256(founding) : hash;
  }

  async function listOf(epoch: number): Promise<InstalledApplications> {
    const { value } = await readTogether(read, (entries) => {
      entries.want([recordHeadKey(epoch)]);
      return readHead(entries, epoch).parameters.applications;
    });
    const hashes = value.map(toHex);
    const name = hashes.join();
    const list = lists.get(name) ?? value.map((hash, number) => installed.get(toHex(artifactOf(hash, number))));
    lists.set(name, list);
    return list;
  }

  return async (epoch) => {
    if (!hasApplications) return NONE;
    const known = byEpoch.get(epoch);
    if (known !== undefined) return known;
    const list = await listOf(epoch);
    if (byEpoch.size >= EPOCHS_MAX) byEpoch.clear();
    byEpoch.set(epoch, list);
    return list;
  };
}
