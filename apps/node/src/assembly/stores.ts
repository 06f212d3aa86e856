/** What a node keeps on disk, opened and brought into agreement. */
import { join } from 'node:path';
import { type ChunkReader, createChunkReader } from '@slipstream/chunk-files';
import { ed25519PublicKey } from '@slipstream/crypto/native';
import { genesisBatch } from '@slipstream/execution';
import { createLedgerReader, isSyncedKey, type LedgerReader } from '@slipstream/ledger';
import {
  type Clock,
  type Disk,
  DiskError,
  type KeyValue,
  type Random,
  silentTelemetry,
  type Telemetry,
} from '@slipstream/ports';
import { openStateStore, type SnapshotPolicy, type StateStore, type Write } from '@slipstream/state';
import { blockIdOf, type Genesis, genesisBlock, hexOf } from '@slipstream/types';
import { type OpenedWal, openSignState, openWal, type SignState } from '@slipstream/wal';
import { NodeError } from '../errors.ts';
import { DATA } from '../folder/layout.ts';
import { createDisk, nextTurn, openKeyValue } from '../world/index.ts';
import { timedDisk } from '../world/timed-disk.ts';
import { closeAll } from './close-all.ts';
import type { Identity } from './identity.ts';
import { tellingTorn } from './torn-tail.ts';

export interface Stores {
  /** Of the executor's thread; here it is read. */
  readonly ledger: LedgerReader;
  /** Serialized signed chunks of committed blocks, by id: written by the executor's thread. */
  readonly chunks: ChunkReader;
  readonly log: OpenedWal;
  readonly signState: SignState;
  close(): Promise<void>;
}

export interface StoreComponents {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly random: Random;
  readonly telemetry: Telemetry;
}

/** What the main thread writes itself, and its readers of what the executor's thread writes: that one is open already. */
export async function openStores(
  folder: string,
  { genesisHash }: Identity,
  { clock, random, telemetry }: StoreComponents,
): Promise<Stores> {
  const disk = createDisk({ root: folder });
  const ledger = await openKeyValue({ location: join(folder, DATA.ledger), shared: true });
  const index = await openKeyValue({ location: join(folder, DATA.chunks), shared: true });
  const signState = await openSignState({ disk }, { path: DATA.signState, genesisHash });
  const synced = ({ ms, bytes }: { readonly ms: number; readonly bytes: number }) => {
    telemetry.observe('wal_sync_ms', ms);
    telemetry.event('wal.synced', { ms, bytes });
  };
  const log = await openWal(
    { disk: timedDisk(disk, clock.monotonicMs, synced), random, telemetry },
    { directory: DATA.wal, genesisHash, knownDurableSequence: signState.logSequence },
  );
  return {
    ledger: createLedgerReader(ledger),
    chunks: createChunkReader({ disk, index, telemetry }, DATA.chunkFiles),
    log,
    signState,
    async close() {
      await log.wal.close().catch((error: unknown) => {
        telemetry.log(
          'warn',
          'the log did not close in order: what it promised is on disk, the next start cuts off what is not',
          { error: String(error) },
        );
      });
      await closeAll([ledger, index]);
    },
  };
}

export async function openState(
  disk: Disk,
  { genesis, genesisHash }: Pick<Identity, 'genesis' | 'genesisHash'>,
  { random, telemetry }: Omit<StoreComponents, 'clock'>,
  snapshots?: SnapshotPolicy,
): Promise<StateStore> {
  const genesisId = blockIdOf(genesisBlock(genesisHash, genesis.timestampMs));
  const { store } = await openStateStore(
    { disk, telemetry, pause: nextTurn },
    {
      directory: DATA.state,
      genesisHash,
      genesisBlock: hexOf(genesisId),
      genesisBatch: genesisEntries(genesis),
      parameters: genesis.state,
      hashKey: random.bytes(8),
      ...(snapshots ? { snapshots } : {}),
    },
  );
  return store;
}

/** Made when a new store asks for it: deriving the keys of a million generated accounts takes longer than any restart may. */
function genesisEntries(genesis: Genesis): Iterable<Write> {
  let made: Iterable<Write> | undefined;
  return {
    [Symbol.iterator]() {
      made ??= genesisBatch(genesis, ed25519PublicKey);
      return made[Symbol.iterator]();
    },
  };
}

export interface ExclusiveOptions {
  readonly shared?: boolean;
  readonly isChecked?: boolean;
  readonly telemetry?: Telemetry;
}

/**
 * The ledger's lock file is what keeps two processes off one folder. `shared`: other threads of this one may open it too; `isChecked`:
 * this process has looked at its files before. Throws NodeError `home-in-use`, DiskError `damaged`.
 */
export async function openExclusively(
  folder: string,
  { shared = false, isChecked = false, telemetry = silentTelemetry }: ExclusiveOptions = {},
): Promise<KeyValue> {
  const check = isChecked ? undefined : { isSynced: isSyncedKey, onTorn: tellingTorn(telemetry) };
  try {
    return await openKeyValue({ location: join(folder, DATA.ledger), shared, ...(check && { check }) });
  } catch (cause) {
    // By code: the words of other faults name blocks, the file LOCK, and a path that may lie below a folder "blockchain".
    if (!(cause instanceof DiskError && cause.data.systemCode === 'LEVEL_LOCKED')) throw cause;
    const message =
      `another process runs on ${folder}. Two processes with one validator key would sign twice: stop the other one first ` +
      '(the lock ends with its process).';
    throw new NodeError('home-in-use', message, { folder }, cause);
  }
}
