/** Durable batches without pause, as under load: work postponed until after a batch, like compactions, is part of the price. */
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { type Claim, claim, median, printRows } from '../../../scripts/bench/claim.ts';
import type { StateStore } from '../src/index.ts';
import { nextBlock, putChained, putsOf, writeEveryLogOnce } from './puts.ts';
import { untilQuiet } from './quiet.ts';
import { freshBatch } from './workload.ts';

const BATCHES = 10;

interface Size {
  readonly stints: number;
  readonly puts: number;
}

interface Stints {
  /** Per run: ms per batch; CPU ms of all threads, until background work has ended. */
  readonly wallMs: number[];
  readonly cpuMs: number[];
}

export async function measureSustained(store: StateStore, root: string, { stints, puts }: Size): Promise<Claim[]> {
  await writeEveryLogOnce(store);
  const level = new ClassicLevel<Uint8Array, Uint8Array>(join(root, 'level-sustained'), {
    keyEncoding: 'view',
    valueEncoding: 'view',
  });
  await level.open();
  const [ours, array, chained] = [noStints(), noStints(), noStints()];
  for (let stint = -1; stint < stints; stint++) {
    const counted = stint >= 0;
    const batches = Array.from({ length: BATCHES }, () => freshBatch(puts));
    await measure(ours, counted, batches, async (batch) => {
      const block = nextBlock();
      store.prepare(store.tip.block, block, batch);
      await store.append(block);
      await store.commit(block);
    });
    const others = () => Array.from({ length: BATCHES }, () => putsOf(freshBatch(puts)));
    await measure(array, counted, others(), (batch) => level.batch(batch, { sync: true }));
    await measure(chained, counted, others(), (batch) => putChained(level, batch));
  }
  await level.close();
  const faster = median(array.wallMs) < median(chained.wallMs) ? array : chained;
  printRows(`${BATCHES} batches of ${puts} puts without a pause (median of ${stints}, turns taken), each`, [
    ['level, batch of an array', median(array.wallMs), 'ms'],
    ['level, chained batch', median(chained.wallMs), 'ms'],
    ['ours', median(ours.wallMs), 'ms'],
    ['level, processor', median(faster.cpuMs), 'ms'],
    ['ours, processor', median(ours.cpuMs), 'ms'],
  ]);
  return [
    claim('sustained_put_ratio', median(faster.wallMs) / median(ours.wallMs), 'x', stints),
    claim('sustained_batch_ms', median(ours.wallMs), 'ms', stints),
    claim('level_sustained_batch_ms', median(faster.wallMs), 'ms', stints),
    claim('put_cpu_ratio', median(faster.cpuMs) / median(ours.cpuMs), 'x', stints),
  ];
}

const noStints = (): Stints => ({ wallMs: [], cpuMs: [] });

async function measure<T>(
  { wallMs, cpuMs }: Stints,
  counted: boolean,
  batches: readonly T[],
  put: (batch: T) => Promise<void>,
): Promise<void> {
  const before = process.cpuUsage();
  const startMs = performance.now();
  for (const batch of batches) await put(batch);
  const endMs = performance.now();
  await untilQuiet();
  const { user, system } = process.cpuUsage(before);
  if (!counted) return;
  wallMs.push((endMs - startMs) / batches.length);
  cpuMs.push((user + system) / 1000 / batches.length);
}
