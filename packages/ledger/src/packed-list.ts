/**
 * A list of byte strings in one value; an item can be read without the others.
 *
 *   uint32 count | uint32 end of item 0 | uint32 end of item 1 | ... | item 0 | item 1 | ...
 *
 * Another list may follow in the same value. An empty one is left out.
 */
import { assert } from '@slipstream/primitives';

export function packedBytes(items: readonly Uint8Array[]): number {
  let bytes = 4 + 4 * items.length;
  for (const item of items) bytes += item.length;
  return bytes;
}

/** Writes a list from `at` on, and returns the offset behind it. */
export function packList(bytes: Uint8Array, at: number, items: readonly Uint8Array[]): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  view.setUint32(0, items.length, true);
  let end = 4 + 4 * items.length;
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as Uint8Array;
    bytes.set(item, at + end);
    end += item.length;
    view.setUint32(4 + 4 * index, end, true);
  }
  return at + end;
}

/** A view of the list that follows the first; undefined: it is empty. */
export function secondList(packed: Uint8Array): Uint8Array | undefined {
  const count = packedCount(packed);
  const end = count === 0 ? 4 : uint32At(packed, 4 * count);
  return end === packed.length ? undefined : packed.subarray(end);
}

function packedCount(packed: Uint8Array): number {
  return uint32At(packed, 0);
}

/** A view of the item, not a copy. */
export function packedItem(packed: Uint8Array, index: number): Uint8Array {
  const count = packedCount(packed);
  assert(index >= 0 && index < count, 'a packed list is read within its count');
  const start = index === 0 ? 4 + 4 * count : uint32At(packed, 4 * index);
  return packed.subarray(start, uint32At(packed, 4 + 4 * index));
}

/** Calls `take` with each item's bounds, in order: views would cost more than reading the items. */
export function eachBound(packed: Uint8Array, take: (start: number, end: number) => void): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const count = packedCount(packed);
  for (let index = 0, start = 4 + 4 * count; index < count; index++) {
    const end = view.getUint32(4 + 4 * index, true);
    take(start, end);
    start = end;
  }
}

/** Place of the first item with this prefix. Creates no views, because a lookup scans whole blocks. */
export function placeBeginning(packed: Uint8Array, prefix: Uint8Array): number | undefined {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const count = packedCount(packed);
  let start = 4 + 4 * count;
  for (let index = 0; index < count; index++) {
    const end = view.getUint32(4 + 4 * index, true);
    let same = 0;
    while (same < prefix.length && start + same < end && packed[start + same] === prefix[same]) same++;
    if (same === prefix.length) return index;
    start = end;
  }
  return undefined;
}

export function unpackList(packed: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: packedCount(packed) }, (_, index) => packedItem(packed, index));
}

function uint32At(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
}
