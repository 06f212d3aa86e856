/** The state store, and its snapshots for joining nodes. */

import { DATA } from '@slipstream/node-home';
import { openState } from '@slipstream/node-home/state';
import { createRandom } from '@slipstream/simulator';
import { isSnapshotFile, listSnapshots, readSnapshot, type StateSnapshot, type StateStore } from '@slipstream/state';
import { looksTorn } from './damage.ts';
import { below, type DataFolder, type Files } from './folder.ts';
import { memoryDisk } from './memory-disk.ts';
import type { Case, StoreUnderTest } from './stores.ts';
import { digestOf, forbidden, listening, refusal, verdict } from './verdict.ts';

const NAMES_FILE = /[0-9]+\.(log|journal)/;

async function open(folder: Omit<DataFolder, 'files'>, files: Files) {
  const { telemetry, words } = listening();
  const random = createRandom('hash key');
  const store = await openState(memoryDisk(below(files, DATA.state)), folder, { random, telemetry });
  return { store, words };
}

function contentsOf(store: StateStore): string {
  const { batch, checksum, block } = store.tip;
  return digestOf([batch, checksum, block, store.entries(undefined, Number.MAX_SAFE_INTEGER)]);
}

/** Tip of the undamaged store. */
export async function tipOfState(folder: DataFolder): Promise<StateStore['tip']> {
  const { store } = await open(folder, folder.files);
  await store.close();
  return store.tip;
}

/** `checksumOf`: checksum of each committed batch, from the ledger. */
export async function stateUnderTest(
  folder: DataFolder,
  checksumOf: ReadonlyMap<string, string>,
): Promise<StoreUnderTest> {
  const { store: sound } = await open(folder, folder.files);
  const truth = contentsOf(sound);
  const { batch } = sound.tip;
  await sound.close();

  return {
    async judge({ files, damage }: Case) {
      const opened = await open(folder, files).catch((error: unknown) => refusal(error, NAMES_FILE));
      if ('outcome' in opened) return opened;
      const { store, words } = opened;
      try {
        const { faults } = await store.verify();
        if (faults.length > 0) return forbidden(`opened, and verify names ${faults[0]?.file}`);
        if (contentsOf(store) === truth) return verdict(words.length > 0 ? 'cut' : 'same', words[0]);
        const earlier = store.tip.batch < batch && checksumOf.get(store.tip.block) === digestOf(store.tip.checksum);
        if (earlier && looksTorn(damage) && words.length > 0) return verdict('cut', words[0]);
        return forbidden(`other contents at batch ${store.tip.batch} of ${batch}; words: ${words.join('; ')}`);
      } finally {
        await store.close();
      }
    },
  };
}

/** As a joining node sees it: which snapshots exist, whether served files are right. */
export async function snapshotsUnderTest({ genesis, genesisHash, files }: DataFolder): Promise<StoreUnderTest> {
  const { history } = genesis.state;
  const truth = await listSnapshots(memoryDisk(files), DATA.snapshots);

  async function served(damaged: Files, snapshot: StateSnapshot, file: StateSnapshot['files'][number]) {
    const read = async (from: Files) =>
      await readSnapshot(memoryDisk(from), DATA.snapshots, snapshot, file.file, 0, file.bytes);
    const bytes = await read(damaged);
    const same = digestOf(bytes) === digestOf(await read(files));
    if (bytes === undefined) return { same, accepted: false };
    const fetched = await memoryDisk(new Map([['fetched', bytes]])).open('fetched');
    return { same, accepted: await isSnapshotFile(fetched, snapshot, file, { genesisHash, history }) };
  }

  return {
    async judge({ files: damaged, path }: Case) {
      const listed = await listSnapshots(memoryDisk(damaged), DATA.snapshots);
      const kept = listed.map(digestOf);
      const isAmong = truth.map(digestOf);
      if (!kept.every((each) => isAmong.includes(each))) return forbidden('a snapshot that was never made');
      if (kept.length < truth.length) return verdict('cut', 'the snapshot is unfinished: its index is not sound');
      for (const snapshot of listed) {
        for (const file of snapshot.files) {
          if (!path.endsWith(`/${String(file.file).padStart(16, '0')}.log`)) continue;
          const { same, accepted } = await served(damaged, snapshot, file);
          if (accepted && !same)
            return forbidden(`file ${file.file} is taken by a joining node, and is not what it was`);
          if (!same) return verdict('named', `a joining node refuses file ${file.file}`);
        }
      }
      return verdict('same');
    },
  };
}
