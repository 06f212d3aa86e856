/**
 * A tree from all entries of a state. Rows are hashed as they come and parted by their first byte; each part is sorted and taken in by itself,
 * so that each bucket is made about once, and the memory of a part is free when the next one begins.
 */
import { type ChangeColumns, checkColumns } from './changes.ts';
import type { Contents, Pause } from './contents.ts';
import { copyRow, ROW_WORDS, type Rows, rowMemory, sortRows } from './rows.ts';

const PARTS = 256;
const FIRST_ROWS = 16;
/** Keys between two pauses. */
const SLICE_KEYS = 2_048;

interface Part {
  rows: Uint32Array;
  count: number;
}

export async function rebuild(contents: Contents, entries: Iterable<ChangeColumns>, pause: Pause): Promise<void> {
  const parts: Part[] = Array.from({ length: PARTS }, () => ({
    rows: new Uint32Array(FIRST_ROWS * ROW_WORDS),
    count: 0,
  }));
  let memory = rowMemory(0);
  for (const columns of entries) {
    checkColumns(columns);
    const count = columns.keyBytes.length;
    if (memory.deletes.length < count) memory = rowMemory(count);
    share(await contents.hashNew(columns, memory), parts);
    await pause();
  }
  const log = contents.newLog();
  let taken = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const { rows, count } = part;
    await contents.takeNew(sortRows({ rows, count, deletes: new Uint8Array(count) }), log);
    log.release();
    taken += count;
    if (taken < SLICE_KEYS) continue;
    taken = 0;
    await pause();
  }
}

function share({ rows, count }: Rows, parts: readonly Part[]): void {
  for (let i = 0; i < count; i++) {
    const part = parts[(rows[i * ROW_WORDS] as number) >>> 24] as Part;
    if (part.count * ROW_WORDS === part.rows.length) {
      const grown = new Uint32Array(Math.ceil(1.5 * part.count) * ROW_WORDS);
      grown.set(part.rows);
      part.rows = grown;
    }
    copyRow(rows, i * ROW_WORDS, part.rows, part.count * ROW_WORDS);
    part.count += 1;
  }
}
