/**
 * The order in which a batch goes through the index: by the high bits of its keys' hashes, else as they stand.
 *
 * The index places keys by those bits, so that neighbours in this order lie on the same few pages. As the keys come, each
 * one is a page of its own, and finding the page takes the processor longer than what is done there: at 100,000 keys over a
 * million, half of all the time. Sorting them costs a tenth of what it saves.
 */

/** 2,048 parts: as many as a pass can write to without leaving the first caches. */
const BITS_MAX = 11;
/** Below this many keys a part, sorting costs more than it saves. */
const KEYS_PER_PART = 8;

/**
 * Fills order[0, count) with the numbers 0 to count - 1, and sorted[0, count) with their hashes in that order. Numbers of equal
 * hashes keep their order.
 */
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
