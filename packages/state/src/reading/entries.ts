/** Lists committed entries in key order, for tools: visits every key. */
import { compareBytes } from '@slipstream/primitives';
import { type Committed, keyAt, valueAt } from '../committed/committed.ts';
import type { StateEntry } from '../store.ts';

/** So many entries beyond twice the limit are collected before the next sort. */
const SPARE_ENTRIES = 1024;

/** The newest batch must be folded. */
export function firstEntries(committed: Committed, from: Uint8Array | undefined, limit: number): readonly StateEntry[] {
  const found: { key: Uint8Array; address: number }[] = [];
  const cutToLimit = () => {
    found.sort((a, b) => compareBytes(a.key, b.key));
    found.length = Math.min(found.length, limit);
  };
  committed.table.each((address) => {
    const key = keyAt(committed, address);
    if (from !== undefined && compareBytes(key, from) < 0) return;
    found.push({ key, address });
    if (found.length >= 2 * limit + SPARE_ENTRIES) cutToLimit();
  });
  cutToLimit();
  return found.map(({ key, address }) => ({ key, value: valueAt(committed, address) }));
}
