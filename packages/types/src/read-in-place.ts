/**
 * Lists of byte strings, and byte strings behind a fixed head, read where they lie: chunks are nearly all that a node receives.
 *
 * Canonical SSZ leaves no choice in these shapes: the first offset says how many there are, each item ends where the next begins.
 * So what is read here need not be written again to see that it is canonical. Whatever differs is left to the codec, which
 * says what is wrong with it. A property test holds both to the same answer.
 *
 * Source: Ethereum consensus specifications, "SimpleSerialize (SSZ)".
 */
const OFFSET_BYTES = 4;

/** Views; undefined for what is not such a list. */
export function readByteLists(
  bytes: Uint8Array,
  { itemsMax, itemBytesMax }: { readonly itemsMax: number; readonly itemBytesMax: number },
): readonly Uint8Array[] | undefined {
  if (bytes.length === 0) return [];
  if (bytes.length < OFFSET_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const head = view.getUint32(0, true);
  if (head === 0 || head % OFFSET_BYTES !== 0 || head > itemsMax * OFFSET_BYTES || head > bytes.length)
    return undefined;
  const items: Uint8Array[] = [];
  let from = head;
  for (let at = OFFSET_BYTES; at <= head; at += OFFSET_BYTES) {
    const to = at < head ? view.getUint32(at, true) : bytes.length;
    if (to < from || to > bytes.length || to - from > itemBytesMax) return undefined;
    items.push(new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from));
    from = to;
  }
  return items;
}

/** What follows the one offset of a container of fixed fields and one byte string: a view; undefined for another shape. */
export function readTail(bytes: Uint8Array, offsetAt: number, fixedBytes: number): Uint8Array | undefined {
  if (bytes.length < fixedBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(offsetAt, true) !== fixedBytes) return undefined;
  return new Uint8Array(bytes.buffer, bytes.byteOffset + fixedBytes, bytes.length - fixedBytes);
}
