import { join } from 'node:path';
import { type ChunkReader, createChunkReader } from '@slipstream/chunk-files';
import { createBodyReader, createLedgerReader, type LedgerReader } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import { createDisk, openKeyValue } from '@slipstream/platform';
import type { Clock, Random, Telemetry } from '@slipstream/ports';
import type { GenesisHash } from '@slipstream/types';
import { type OpenedWal, openSignState, openWal, type SignState } from '@slipstream/wal';
import { closeAll } from './close-all.ts';
import { timedDisk } from './timed-disk.ts';

export interface Stores {
  readonly ledger: LedgerReader;
  /** Serialized signed chunks, by id. */
  readonly chunks: ChunkReader;
  readonly log: OpenedWal;
  readonly signState: SignState;
  close(): Promise<void>;
}

export interface StoreComponents {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly random: Random;
  readonly telemetry: Telemetry;
}

/** The executor's thread must have opened its stores. */
export async function openStores(
  folder: string,
  { genesisHash }: { readonly genesisHash: GenesisHash },
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
    { clock, disk: timedDisk(disk, clock.monotonicMs, synced), random, telemetry },
    { directory: DATA.wal, genesisHash, knownDurableSequence: signState.logSequence },
  );
  return {
    ledger: createLedgerReader(ledger, createBodyReader({ disk, keyValue: ledger, telemetry }, DATA.blockFiles)),
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
