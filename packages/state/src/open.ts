/** Opens the state store of a directory, or creates it from the genesis state. */
import type { Disk, Telemetry } from '@slipstream/ports';
import type { Write } from './batch.ts';
import { type Committed, createCommitted } from './committed/committed.ts';
import { StateError } from './errors.ts';
import { type Journal, openJournal } from './journal/journal.ts';
import { HASH_KEY_BYTES, readHashKey } from './key-table/key-hash.ts';
import { fileOfLogName } from './log/format.ts';
import { createLogFiles, type LogFiles } from './log/log-files.ts';
import { DEFAULT_PREALLOCATION, type PreallocationPolicy } from './log/preallocation.ts';
import { createLogStore } from './log-store.ts';
import { type Chain, checkParameters, type StateParameters } from './parameters.ts';
import { createGenesis, GENESIS_MARKER, removeUnfinished } from './recovery/genesis.ts';
import { recover } from './recovery/recover.ts';
import { createSnapshots, type SnapshotPolicy } from './snapshot/take-snapshots.ts';
import type { Cut, Recovered, StateStore } from './store.ts';
import { checkByteOrder } from './typed-arrays/word-arrays.ts';

interface StateComponents {
  readonly disk: Disk;
  readonly telemetry: Telemetry;
  /** Yields the thread between background steps. By default they run at once. */
  readonly pause?: () => Promise<void>;
}

export interface StateOptions {
  readonly directory: string;
  /** 32 bytes, in every file. */
  readonly genesisHash: Uint8Array;
  /** Block of the genesis state: the first tip. */
  readonly genesisBlock: string;
  /** The genesis state, empty by default. Iterated twice, so not a generator object. */
  readonly genesisBatch?: Iterable<Write>;
  /** Equal on all nodes. */
  readonly parameters?: Partial<StateParameters>;
  /** 8 secret bytes, so that no attacker can choose colliding keys. Never written to disk. */
  readonly hashKey?: Uint8Array;
  readonly snapshots?: SnapshotPolicy;
  readonly preallocation?: PreallocationPolicy;
}

const GENESIS_HASH_BYTES = 32;

/** Throws StateError `corrupt`, `missing` or `foreign`, RecordsError `foreign` or `unknown-format`, each with the file, and DiskError. */
export async function openStateStore(
  { disk, telemetry, pause = async () => {} }: StateComponents,
  options: StateOptions,
): Promise<{ readonly store: StateStore; readonly recovered: Recovered }> {
  checkByteOrder();
  const { directory, genesisHash, hashKey = genesisHash.subarray(0, HASH_KEY_BYTES) } = options;
  if (genesisHash.length !== GENESIS_HASH_BYTES || hashKey.length !== HASH_KEY_BYTES) {
    throw new StateError('bad-parameters', 'the genesis hash has 32 bytes, the hash key 8');
  }
  const chain: Chain = { parameters: checkParameters(options.parameters), genesisHash };
  const committed = createCommitted(chain.parameters.history + 1, readHashKey(hashKey));
  await disk.makeDirectory(directory);
  const files = createLogFiles(disk, directory, chain);
  const { journal, created, cut } = await load(disk, chain, committed, files, options).catch(async (error: unknown) => {
    await files.close();
    throw error;
  });
  const { batch, block } = committed.tip;
  for (const { file, offset, bytes, reason } of cut) {
    if (reason === 'preallocated') continue;
    telemetry.log('warn', `state: removed ${bytes} bytes from ${file} (${reason})`, { file, offset, bytes, reason });
  }
  const snapshots = options.snapshots && createSnapshots({ disk, telemetry, source: directory }, options.snapshots);
  if (options.snapshots) await disk.makeDirectory(options.snapshots.directory);
  const components = {
    telemetry,
    directory,
    snapshots,
    pause,
    preallocation: options.preallocation ?? DEFAULT_PREALLOCATION,
  };
  const store = createLogStore(components, chain, committed, files, journal);
  return { store, recovered: { batch, block, created, cut } };
}

interface Loaded {
  readonly journal: Journal;
  readonly created: boolean;
  readonly cut: readonly Cut[];
}

async function load(
  disk: Disk,
  chain: Chain,
  committed: Committed,
  files: LogFiles,
  { directory, genesisHash, genesisBlock, genesisBatch = [] }: StateOptions,
): Promise<Loaded> {
  const place = { disk, directory, genesisHash };
  const names = await disk.list(directory);
  const opened = await openJournal(place, names);
  if (opened !== undefined) {
    const cut = await recover(chain, committed, files, names, opened).catch(async (error: unknown) => {
      await opened.journal.close();
      throw error;
    });
    if (names.includes(GENESIS_MARKER)) await disk.remove(`${directory}/${GENESIS_MARKER}`);
    return { journal: opened.journal, created: false, cut: [...opened.cut, ...cut] };
  }
  const hasLogs = names.some((name) => fileOfLogName(name) !== undefined);
  if (hasLogs && !names.includes(GENESIS_MARKER)) {
    const message = `${directory} holds logs and no journal: restore it, or sync the state again`;
    throw new StateError('missing', message, { file: directory });
  }
  const cut = await removeUnfinished(disk, directory, names);
  const journal = await createGenesis(chain, committed, files, place, { block: genesisBlock, entries: genesisBatch });
  return { journal, created: true, cut };
}
