/**
 * A write and a synced write by size, beside what the disk takes for the same bytes.
 *
 *   buffered  a `certificate`: encoded and retained, as CometBFT's Write into its buffer
 *   written   a `chunk`, until the operating system has it
 *   synced    an `own-notarize`, until it is durable, as CometBFT's WriteSync
 *   disk      the bytes alone: a write, then an fdatasync
 *   clean     a sync when nothing is unsynced, as CometBFT's FlushAndSync of a clean log
 *
 * CometBFT's PR 5695 measures writes of 512 bytes and reads of 512 bytes, 10 and 50 KB, and publishes no figure of them. A vote here has 260
 * bytes, a chunk up to 2 MiB. The five take turns, each on a file of its own.
 */
import { createRandom } from '@slipstream/platform';
import type { Disk } from '@slipstream/ports';
import type { BenchOptions, Claim } from '../../../scripts/bench/claim.ts';
import { median, quantile, timed } from '../../../scripts/bench/claim.ts';
import type { Wal } from '../src/index.ts';

export const SIZES = [256, 512, 10 * 1024, 50 * 1024, 1024 * 1024] as const;

/** A small buffered write is too short to be timed alone. */
const BUFFERED_AT_ONCE = 16;
/** Larger records, and fewer: their rounds write hundreds of megabytes. */
const LARGE_BYTES = 64 * 1024;

interface Measured {
  readonly buffered: number[];
  readonly written: number[];
  readonly synced: number[];
  readonly disk: number[];
  readonly clean: number[];
}

export async function runSizes(
  disk: Disk,
  openLog: (directory: string) => Promise<Wal>,
  { smoke, draw }: BenchOptions,
): Promise<readonly Claim[]> {
  const measured: Measured[] = [];
  for (const bytes of SIZES) {
    const rounds = smoke ? 3 : bytes > LARGE_BYTES ? 40 : 200;
    measured.push(await measureSize(disk, openLog, bytes, rounds));
  }
  const lineOf = (name: keyof Measured) => ({
    name,
    values: measured.map((each) => median(each[name])),
    low: measured.map((each) => quantile(each[name], 0.05)),
    high: measured.map((each) => quantile(each[name], 0.95)),
  });
  draw({
    title: 'A record of the log by size',
    about:
      'Median, and the range of nine tenths. Synced is durable; disk is a write and an fdatasync of the same bytes.',
    unit: 'ms',
    x: { name: 'size', unit: 'bytes', values: [...SIZES], isLogarithmic: true },
    lines: [lineOf('buffered'), lineOf('written'), lineOf('synced'), lineOf('disk')],
    kind: 'lines',
  });
  return claimsOf((bytes) => measured[SIZES.indexOf(bytes)] as Measured);
}

async function measureSize(
  disk: Disk,
  openLog: (directory: string) => Promise<Wal>,
  bytes: number,
  rounds: number,
): Promise<Measured> {
  const payload = createRandom().bytes(bytes);
  const atOnce = bytes > LARGE_BYTES ? 1 : BUFFERED_AT_ONCE;
  const logs = {
    buffered: await openLog(`buffered-${bytes}`),
    written: await openLog(`written-${bytes}`),
    synced: await openLog(`synced-${bytes}`),
  };
  const file = await disk.open(`bare-${bytes}`, { create: true });
  const measured: Measured = { buffered: [], written: [], synced: [], disk: [], clean: [] };
  for (let round = 0; round < rounds; round++) {
    const bufferedMs = await timed(() => {
      for (let i = 0; i < atOnce; i++) logs.buffered.append('certificate', payload);
    });
    await logs.buffered.flush();
    measured.buffered.push(bufferedMs / atOnce);
    measured.written.push(await timed(() => writeThrough(logs.written, payload)));
    measured.synced.push(await timed(() => logs.synced.append('own-notarize', payload, payload).durable));
    measured.disk.push(await timed(() => file.write(round * bytes, [payload]).then(() => file.sync())));
    measured.clean.push(await timed(() => logs.synced.sync()));
  }
  for (const wal of Object.values(logs)) await wal.close();
  await file.close();
  return measured;
}

function writeThrough(wal: Wal, payload: Uint8Array): Promise<void> {
  wal.append('chunk', payload);
  return wal.flush();
}

function claimsOf(at: (bytes: (typeof SIZES)[number]) => Measured): readonly Claim[] {
  const samples = at(512).synced.length;
  const us = (name: string, values: readonly number[]) => ({ name, value: median(values) * 1000, unit: 'us', samples });
  const ms = (name: string, values: readonly number[]) => ({ name, value: median(values), unit: 'ms', samples });
  return [
    us('write_512_us', at(512).buffered),
    us('write_10k_us', at(10 * 1024).buffered),
    us('write_50k_us', at(50 * 1024).buffered),
    us('write_to_system_512_us', at(512).written),
    ms('synced_write_512_ms', at(512).synced),
    ms('synced_write_10k_ms', at(10 * 1024).synced),
    ms('synced_write_50k_ms', at(50 * 1024).synced),
    { name: 'synced_write_of_disk', value: median(at(512).synced) / median(at(512).disk), unit: 'ratio', samples },
    us('clean_sync_us', at(512).clean),
  ];
}
