/**
 * Reads chunks' SSZ shapes in place: lists of byte strings, and byte strings behind fixed fields.
 *
 * Canonical SSZ leaves these shapes no choice: the first offset gives the number of items, and each ends where the next begins. So no
 * re-encoding is needed. The codec reports the fault of other input. A property test compares both.
 *
 * Source: Ethereum consensus specifications, "SimpleSerialize (SSZ)".
 */
const OFFSET_BYTES = 4;

/** Views; undefined: another shape. */
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

/** Of a container of fixed fields and one byte string, as a view; undefined: another shape. */
export function readTail(bytes: Uint8Array, offsetAt: number, fixedBytes: number): Uint8Array | undefined {
  if (bytes.length < fixedBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(offsetAt, true) !== fixedBytes) return undefined;
  return new Uint8Array(bytes.buffer, bytes.byteOffset + fixedBytes, bytes.length - fixedBytes);
}

/** Of a container of two byte strings, as views; undefined: another shape. */
export function readTwoTails(bytes: Uint8Array): readonly [Uint8Array, Uint8Array] | undefined {
  const fixedBytes = 2 * OFFSET_BYTES;
  if (bytes.length < fixedBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const second = view.getUint32(OFFSET_BYTES, true);
  if (view.getUint32(0, true) !== fixedBytes || second < fixedBytes || second > bytes.length) return undefined;
  return [bytes.subarray(fixedBytes, second), bytes.subarray(second)];
}

/** Of a list of items of one size, as views; undefined: another shape. */
export function readFixedItems(
  bytes: Uint8Array,
  { itemsMax, itemBytes }: { readonly itemsMax: number; readonly itemBytes: number },
): readonly Uint8Array[] | undefined {
  const count = bytes.length / itemBytes;
  if (!Number.isInteger(count) || count > itemsMax) return undefined;
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * itemBytes, (i + 1) * itemBytes));
}
