/**
 * Snappy, the reading half: LevelDB compresses blocks of its tables with it.
 *
 *   length varint | elements: literal (bytes follow) or copy (of what was written before)
 *
 * Source: github.com/google/snappy, format_description.txt.
 */

/** Undefined when the bytes are no such stream. `bytesMax` bounds what is made. */
export function uncompress(bytes: Uint8Array, bytesMax: number): Uint8Array | undefined {
  let at = 0;
  let length = 0;
  for (let scale = 1; ; scale *= 128) {
    const next = bytes[at++];
    if (next === undefined || scale > 2 ** 28) return undefined;
    length += (next & 127) * scale;
    if (next < 128) break;
  }
  if (length > bytesMax) return undefined;
  const made = new Uint8Array(length);
  let end = 0;
  while (at < bytes.length) {
    const tag = bytes[at++] as number;
    if ((tag & 3) === 0) {
      const few = tag >>> 2;
      const extra = few < 60 ? 0 : few - 59;
      const size = 1 + (extra === 0 ? few : littleEndian(bytes, at, extra));
      at += extra;
      if (at + size > bytes.length || end + size > length) return undefined;
      made.set(bytes.subarray(at, at + size), end);
      at += size;
      end += size;
      continue;
    }
    const kind = tag & 3;
    const size = kind === 1 ? 4 + ((tag >>> 2) & 7) : 1 + (tag >>> 2);
    const offset = kind === 1 ? ((tag >>> 5) << 8) | (bytes[at] ?? 0) : littleEndian(bytes, at, kind === 2 ? 2 : 4);
    at += kind === 3 ? 4 : kind;
    if (at > bytes.length || offset === 0 || offset > end || end + size > length) return undefined;
    // Byte by byte: what is copied may be what this very copy writes.
    for (const until = end + size; end < until; end++) made[end] = made[end - offset] as number;
  }
  return end === length ? made : undefined;
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}
