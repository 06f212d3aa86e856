/** Batches of 100,000 puts against LevelDB, taking turns in one run, each batch durable before the next begins. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Disk } from '@slipstream/ports';
import { sha256, toHex } from '@slipstream/primitives';
import { Level } from 'level';
import { type Claim, claim, median, printRows, timed } from '../../../scripts/bench/claim.ts';
import { DEFAULT_PARAMETERS, type PackedBatch, type StateStore } from '../src/index.ts';
import type { DiskTimes, TimedDisk } from './timed-disk.ts';
import { freshBatch, writesOf } from './workload.ts';

type LevelStore = Level<Uint8Array, Uint8Array>;

const encodings = { keyEncoding: 'view', valueEncoding: 'view' } as const;

/** LevelDB compacts in a thread of its own after a batch; that work is not ours to be slowed by. */
const SETTLE_MS = 200;

/** Milliseconds of each step of our batches. */
interface Steps {
  readonly total: number[];
  /** What no store can do without: as many bytes hashed, written and synced, then a commit record. */
  readonly bare: number[];
  readonly prepare: number[];
  readonly hash: number[];
  readonly write: number[];
  readonly sync: number[];
  readonly index: number[];
}

export async function measurePuts(
  store: StateStore,
  { disk, times }: TimedDisk,
  root: string,
  size: { readonly rounds: number; readonly puts: number },
): Promise<Claim[]> {
  await writeEveryLogOnce(store);
  const level: LevelStore = new Level(join(root, 'level'), encodings);
  await level.open();
  const steps: Steps = { total: [], bare: [], prepare: [], hash: [], write: [], sync: [], index: [] };
  const arrayMs: number[] = [];
  const chainedMs: number[] = [];
  const revertMs: number[] = [];
  const levelRevertMs: number[] = [];
  for (let round = -2; round < size.rounds; round++) {
    const batch = freshBatch(size.puts);
    const { bytes, hashMs } = await putOurs(store, times, batch, steps);
    steps.bare.push(hashMs + (await writeBare(disk, bytes)));
    const puts = putsOf(batch);
    arrayMs.push(await timed(() => level.batch(puts, { sync: true })));
    await setTimeout(SETTLE_MS);
    const fresh = putsOf(freshBatch(size.puts));
    chainedMs.push(await timed(() => putChained(level, fresh)));
    await setTimeout(SETTLE_MS);
    const other = freshBatch(size.puts);
    revertMs.push(await revertOurs(store, other));
    levelRevertMs.push(await revertLevel(level, other));
    await setTimeout(SETTLE_MS);
    if (round < 0)
      for (const list of [...Object.values(steps), arrayMs, chainedMs, revertMs, levelRevertMs]) list.length = 0;
  }
  await level.close();
  print(steps, { arrayMs, chainedMs, revertMs, levelRevertMs }, size.puts);
  const { rounds } = size;
  const levelMs = Math.min(median(arrayMs), median(chainedMs));
  return [
    claim('put_ratio', levelMs / median(steps.total), 'x', rounds),
    claim('batch_ms', median(steps.total), 'ms', rounds),
    claim('level_batch_ms', levelMs, 'ms', rounds),
    claim('bare_batch_ms', median(steps.bare), 'ms', rounds),
    claim('revert_ratio', median(levelRevertMs) / median(revertMs), 'x', rounds),
    claim('revert_ms', median(revertMs), 'ms', rounds),
  ];
}

/** From then on batches go on in files that exist, as they do for all of a node's life but its first minutes. */
export async function writeEveryLogOnce(store: StateStore): Promise<void> {
  for (let i = 0; i <= DEFAULT_PARAMETERS.history; i++) {
    const block = nextBlock();
    store.prepare(store.tip.block, block, []);
    await store.append(block);
    await store.commit(block);
  }
}

let blocks = 0;
export const nextBlock = (): string => toHex(sha256(Uint8Array.of(++blocks, blocks >> 8, blocks >> 16)));

async function putOurs(store: StateStore, times: DiskTimes, batch: PackedBatch, steps: Steps) {
  const block = nextBlock();
  const before = { ...times };
  let bytes = 0;
  const prepareMs = await timed(() => {
    bytes = store.prepare(store.tip.block, block, batch).bytes;
  });
  const diskMs = await timed(async () => {
    await store.append(block);
    await store.commit(block);
  });
  const hashMs = await timed(() => sha256(new Uint8Array(bytes)));
  const writeMs = times.writeMs - before.writeMs;
  const syncMs = times.syncMs - before.syncMs;
  steps.total.push(prepareMs + diskMs);
  steps.prepare.push(prepareMs - hashMs);
  steps.hash.push(hashMs);
  steps.write.push(writeMs);
  steps.sync.push(syncMs);
  steps.index.push(diskMs - writeMs - syncMs - (times.restMs - before.restMs));
  return { bytes, hashMs };
}

const BARE = 'bare';
const COMMIT_RECORD_BYTES = 512;

/** Behind the end of a file each, as logs and journals are written. */
async function writeBare(disk: Disk, bytes: number): Promise<number> {
  const file = await disk.open(BARE, { create: true });
  const begin = await file.size();
  const parts = [new Uint8Array(bytes).fill(1), new Uint8Array(COMMIT_RECORD_BYTES).fill(1)];
  const ms = await timed(async () => {
    let at = begin;
    for (const part of parts) {
      await file.write(at, [part]);
      await file.sync();
      at += part.length;
    }
  });
  await file.close();
  return ms;
}

/** Made before the clock starts: each side is handed what its own interface wants. */
export const putsOf = (batch: PackedBatch) => writesOf(batch).map((write) => ({ type: 'put' as const, ...write }));

type Puts = ReturnType<typeof putsOf>;

export function putChained(level: LevelStore, puts: Puts): Promise<void> {
  const chain = level.batch();
  for (const { key, value } of puts) chain.put(key, value);
  return chain.write({ sync: true });
}

/** From pending on disk to gone from it. */
async function revertOurs(store: StateStore, batch: PackedBatch): Promise<number> {
  const block = nextBlock();
  store.prepare(store.tip.block, block, batch);
  await store.append(block);
  return timed(() => store.revert(block));
}

/** What LevelDB needs to take back a batch that is on disk: deletes of the keys that were not there before. */
async function revertLevel(level: LevelStore, batch: PackedBatch): Promise<number> {
  const puts = putsOf(batch);
  await level.batch(puts, { sync: true });
  const operations = puts.map(({ key }) => ({ type: 'del' as const, key }));
  return timed(() => level.batch(operations, { sync: true }));
}

interface Others {
  readonly arrayMs: readonly number[];
  readonly chainedMs: readonly number[];
  readonly revertMs: readonly number[];
  readonly levelRevertMs: readonly number[];
}

function print(steps: Steps, { arrayMs, chainedMs, revertMs, levelRevertMs }: Others, puts: number): void {
  printRows(`${puts} puts of 32-byte keys and 16-byte values, durable (median of ${arrayMs.length}, turns taken)`, [
    ['level, batch of an array', median(arrayMs), 'ms'],
    ['level, chained batch', median(chainedMs), 'ms'],
    ['ours', median(steps.total), 'ms'],
    ['  encode, check, look up', median(steps.prepare), 'ms'],
    ['  hash', median(steps.hash), 'ms'],
    ['  write, and what is done beside it', median(steps.write), 'ms'],
    ['  sync, and what is done beside it', median(steps.sync), 'ms'],
    ['  index, beyond write and sync', median(steps.index), 'ms'],
    ['as many bytes hashed, written and synced, no more', median(steps.bare), 'ms'],
    ['level: take back', median(levelRevertMs), 'ms'],
    ['ours: revert', median(revertMs), 'ms'],
  ]);
}
