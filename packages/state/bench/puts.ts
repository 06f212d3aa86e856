/** Durable batches of 100,000 puts against LevelDB, alternating in one run. */
import { join } from 'node:path';
import type { Disk } from '@slipstream/ports';
import { sha256, toHex } from '@slipstream/primitives';
import { ClassicLevel } from 'classic-level';
import { type Claim, claim, median, printRows, timed } from '../../../scripts/bench/claim.ts';
import { DEFAULT_PARAMETERS, type PackedBatch, type StateStore } from '../src/index.ts';
import { untilQuiet } from './quiet.ts';
import { freshBatch, writesOf } from './workload.ts';

type LevelStore = ClassicLevel<Uint8Array, Uint8Array>;

const encodings = { keyEncoding: 'view', valueEncoding: 'view' } as const;

interface Steps {
  readonly total: number[];
  /** The minimum for any store: hash, write and sync the same bytes, then a commit record. */
  readonly bare: number[];
  readonly prepare: number[];
  readonly append: number[];
  readonly commit: number[];
}

export async function measurePuts(
  store: StateStore,
  disk: Disk,
  root: string,
  size: { readonly rounds: number; readonly puts: number },
): Promise<Claim[]> {
  await writeEveryLogOnce(store);
  const level: LevelStore = new ClassicLevel(join(root, 'level'), encodings);
  await level.open();
  const steps: Steps = { total: [], bare: [], prepare: [], append: [], commit: [] };
  const arrayMs: number[] = [];
  const chainedMs: number[] = [];
  const revertMs: number[] = [];
  const levelRevertMs: number[] = [];
  for (let round = -2; round < size.rounds; round++) {
    const batch = freshBatch(size.puts);
    await untilQuiet();
    const bytes = await putOurs(store, batch, steps);
    await untilQuiet();
    steps.bare.push(await writeBare(disk, bytes));
    const puts = putsOf(batch);
    await untilQuiet();
    arrayMs.push(await timed(() => level.batch(puts, { sync: true })));
    const fresh = putsOf(freshBatch(size.puts));
    await untilQuiet();
    chainedMs.push(await timed(() => putChained(level, fresh)));
    const other = freshBatch(size.puts);
    await untilQuiet();
    revertMs.push(await revertOurs(store, other));
    levelRevertMs.push(await revertLevel(level, other));
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

/** Afterwards batches go into existing files, as for nearly all of a node's life. */
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

async function putOurs(store: StateStore, batch: PackedBatch, steps: Steps): Promise<number> {
  const block = nextBlock();
  let bytes = 0;
  const prepareMs = await timed(() => {
    bytes = store.prepare(store.tip.block, block, batch).bytes;
  });
  const appendMs = await timed(() => store.append(block));
  const commitMs = await timed(() => store.commit(block));
  steps.total.push(prepareMs + appendMs + commitMs);
  steps.prepare.push(prepareMs);
  steps.append.push(appendMs);
  steps.commit.push(commitMs);
  return bytes;
}

const BARE = 'bare';
const COMMIT_RECORD_BYTES = 512;
/** The kernel delays larger writes. */
const PIECE_BYTES = 1_048_576;

/** Each appended to a file, like logs and journals. */
async function writeBare(disk: Disk, bytes: number): Promise<number> {
  const file = await disk.open(BARE, { create: true });
  const begin = await file.size();
  const segment = new Uint8Array(bytes).fill(1);
  const record = new Uint8Array(COMMIT_RECORD_BYTES).fill(1);
  const ms = await timed(async () => {
    sha256(segment);
    for (let at = 0; at < bytes; at += PIECE_BYTES) {
      await file.write(begin + at, [segment.subarray(at, at + PIECE_BYTES)]);
    }
    await file.sync();
    await file.write(begin + bytes, [record]);
    await file.sync();
  });
  await file.close();
  return ms;
}

/** Made before the clock starts, in the form that each interface takes. */
export const putsOf = (batch: PackedBatch) => writesOf(batch).map((write) => ({ type: 'put' as const, ...write }));

type Puts = ReturnType<typeof putsOf>;

export function putChained(level: LevelStore, puts: Puts): Promise<void> {
  const chain = level.batch();
  for (const { key, value } of puts) chain.put(key, value);
  return chain.write({ sync: true });
}

async function revertOurs(store: StateStore, batch: PackedBatch): Promise<number> {
  const block = nextBlock();
  store.prepare(store.tip.block, block, batch);
  await store.append(block);
  await untilQuiet();
  return timed(() => store.revert(block));
}

/** How LevelDB reverts a batch: it deletes the keys that did not exist before. */
async function revertLevel(level: LevelStore, batch: PackedBatch): Promise<number> {
  const puts = putsOf(batch);
  await level.batch(puts, { sync: true });
  const operations = puts.map(({ key }) => ({ type: 'del' as const, key }));
  await untilQuiet();
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
    ['  prepare: encode, check, hash', median(steps.prepare), 'ms'],
    ['  append: write, sync', median(steps.append), 'ms'],
    ['  commit: the record, written and synced', median(steps.commit), 'ms'],
    ['as many bytes hashed, written and synced, no more', median(steps.bare), 'ms'],
    ['level: take back', median(levelRevertMs), 'ms'],
    ['ours: revert', median(revertMs), 'ms'],
  ]);
}
