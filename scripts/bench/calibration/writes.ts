/**
 * What writes cost the state store: those of a case many times in one batch, under other keys of the same lengths, so that they take far
 * longer than a block's own work. Each key has the value before that the case's had: overwriting and adding cost differently.
 */

import type { WriteColumns } from '@slipstream/execution';
import { toHex } from '@slipstream/primitives';
import { DELETES, type Write } from '@slipstream/state';
import { pairedUs } from './paired.ts';
import type { Stage } from './stage.ts';

/** In a batch that is timed. */
const WRITES = 2000;
const BATCH_BYTES_MAX = 500_000;
const NUMBER_BITS = 12;

/** With the value that the state had. */
export interface OwnWrite extends Write {
  readonly before: Uint8Array | undefined;
}

/** us of all writes: a difference for each pair. The state is the same afterwards. */
export async function writesUs(stage: Stage, writes: readonly OwnWrite[], pairs: number): Promise<readonly number[]> {
  const bytes = writes.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0);
  const copies = Math.max(1, Math.min(Math.ceil(WRITES / writes.length), Math.floor(BATCH_BYTES_MAX / bytes)));
  const all = Array.from({ length: copies }, (_, i) =>
    writes.map((one) => ({ ...one, key: otherKey(one.key, i) })),
  ).flat();
  const seeded = all.filter(({ before }) => before !== undefined);
  await stage.commit(packed(seeded.map(({ key, before }) => ({ key, value: before }))));
  const full = packed(all);
  const empty = packed([]);
  const restore = packed(
    all.flatMap(({ key, value, before }) => ((value ?? before) === undefined ? [] : [{ key, value: before }])),
  );
  const differences = await pairedUs(
    pairs,
    async () => {
      const us = await writeUs(stage, full);
      await stage.commit(restore);
      return us;
    },
    () => writeUs(stage, empty),
  );
  await stage.commit(packed(seeded.map(({ key }) => ({ key, value: undefined }))));
  return differences.map((us) => us / copies);
}

async function writeUs({ commit }: Stage, batch: WriteColumns): Promise<number> {
  const { us, preparedUs } = await commit(batch);
  return us + preparedUs;
}

/** The store does not look into keys. Numbers in keys are below the bits that change. */
function otherKey(key: Uint8Array, copy: number): Uint8Array {
  const other = key.slice();
  const mask = (copy + 1) << NUMBER_BITS;
  for (let i = 0; i < 4; i++)
    other[key.length - 1 - i] = (key[key.length - 1 - i] as number) ^ ((mask >>> (8 * i)) & 0xff);
  return other;
}

export function packed(writes: readonly Write[]): WriteColumns {
  const parts = writes.flatMap(({ key, value }) => (value === undefined ? [key] : [key, value]));
  return {
    bytes: Buffer.concat(parts),
    keyBytes: Uint8Array.from(writes, ({ key }) => key.length),
    valueBytes: Int32Array.from(writes, ({ value }) => value?.length ?? DELETES),
  };
}

/** What the second lacks: of a key that is in both, as many as it has less. */
export function without<T extends { readonly key: Uint8Array }>(all: readonly T[], less: readonly T[]): readonly T[] {
  const counts = new Map<string, number>();
  for (const { key } of less) counts.set(toHex(key), (counts.get(toHex(key)) ?? 0) + 1);
  return all.filter(({ key }) => {
    const hex = toHex(key);
    const left = counts.get(hex) ?? 0;
    counts.set(hex, left - 1);
    return left <= 0;
  });
}
