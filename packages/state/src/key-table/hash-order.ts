/**
 * Orders a batch's keys by the high bits of their hashes, as the index does, so that neighbours share pages. In write order nearly each
 * key would be a TLB miss, which costs more than sorting.
 */

/** 2,048 parts fit the first-level caches. */
const BITS_MAX = 11;
/** With fewer keys, sorting costs more than it saves. */
const KEYS_PER_PART = 8;

/** Sets order[0, count) to the numbers 0 to count - 1, sorted by their hashes' high bits (stable), and sorted[0, count) to the hashes. */
export function orderByHash(hash: Int32Array, count: number, order: Int32Array, sorted: Int32Array): void {
  const bits = Math.min(BITS_MAX, Math.floor(Math.log2(count / KEYS_PER_PART)));
  if (!(bits >= 1)) {
    for (let i = 0; i < count; i++) order[i] = i;
    sorted.set(hash.subarray(0, count));
    return;
  }
  const shift = 32 - bits;
  const next = new Int32Array(2 ** bits);
  for (let i = 0; i < count; i++) {
    const part = (hash[i] as number) >>> shift;
    next[part] = (next[part] as number) + 1;
  }
  for (let part = 0, begin = 0; part < next.length; part++) {
    const keys = next[part] as number;
    next[part] = begin;
    begin += keys;
  }
  for (let i = 0; i < count; i++) {
    const own = hash[i] as number;
    const part = own >>> shift;
    const to = next[part] as number;
    order[to] = i;
    sorted[to] = own;
    next[part] = to + 1;
  }
}
