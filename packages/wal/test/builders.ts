import { type Clock, type Disk, silentTelemetry } from '@slipstream/ports';
import { createRandom, createSimDisk, type SimDisk } from '@slipstream/simulator';
import {
  durabilityOf,
  type OpenedWal,
  openWal,
  type RecordKind,
  type SyncedKind,
  type UnsyncedKind,
  type Wal,
  type WalOptions,
  type WalRecord,
} from '../src/index.ts';

export const genesisHash = new Uint8Array(32).fill(7);
export const directory = 'log';

export function newDisk(seed: string | number = 1): SimDisk {
  return createSimDisk({ random: createRandom(seed) });
}

export function open(disk: SimDisk, options: Partial<WalOptions> = {}, seed: string | number = 1): Promise<OpenedWal> {
  return openOn(disk.mount(), options, seed);
}

export function openOn(
  disk: Disk,
  options: Partial<WalOptions> = {},
  seed: string | number = 1,
  clock: Pick<Clock, 'after'> = NO_TIMERS,
): Promise<OpenedWal> {
  const components = { clock, disk, random: createRandom(`wal/${seed}`), telemetry: silentTelemetry };
  return openWal(components, { directory, genesisHash, ...options });
}

/** Buffered records wait for a sync of the test. */
const NO_TIMERS = { after: () => () => {} };

/** A record of any kind: its sequence. */
export function append(wal: Wal, kind: RecordKind, payload: Uint8Array): number {
  if (durabilityOf(kind) !== 'synced') return wal.append(kind as UnsyncedKind, payload);
  return wal.append(kind as SyncedKind, payload, payload).sequence;
}

export async function collect(records: AsyncIterable<WalRecord>): Promise<readonly WalRecord[]> {
  const all: WalRecord[] = [];
  for await (const record of records) all.push(record);
  return all;
}

/** The sequences a reopened log replays. */
export async function reopen(disk: SimDisk, options: Partial<WalOptions> = {}) {
  const opened = await open(disk, options, 'reopened');
  return { ...opened, replayed: await collect(opened.records) };
}

export function payloadOf(sequence: number, bytes = 20): Uint8Array {
  return createRandom(`payload/${sequence}`).bytes(bytes);
}

/** A disk with the same files, all of them durable. */
export async function copyOf(disk: SimDisk): Promise<SimDisk> {
  const copy = newDisk('copy');
  const port = copy.mount();
  await port.makeDirectory(directory);
  for (const path of disk.paths()) {
    await port.open(path, { create: true });
    copy.replaceContents(path, disk.contents(path) as Uint8Array);
  }
  return copy;
}
