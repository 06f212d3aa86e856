import { ID_BYTES } from '@slipstream/types';

export function packIds(ids: readonly string[]): Uint8Array {
  return Buffer.from(ids.join(''), 'hex');
}

/** Hexadecimal, in order. */
export function hexOfIds(bytes: Uint8Array): readonly string[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: all.length / ID_BYTES }, (_, i) => all.toString('hex', i * ID_BYTES, (i + 1) * ID_BYTES));
}

/** First bytes of an id: they distinguish most ids at a tenth of the cost of hexadecimal. */
export type IdPrefix = number;

const PREFIX_DIGITS = 8;

export function prefixOf(id: string): IdPrefix {
  return Number.parseInt(id.slice(0, PREFIX_DIGITS), 16);
}

/** Calls `take` for each id with a wanted prefix. */
export function eachWanted(
  bytes: Uint8Array,
  isWanted: (prefix: IdPrefix) => boolean,
  take: (id: string, place: number) => void,
): void {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < all.length; at += ID_BYTES) {
    if (isWanted(all.readUInt32BE(at))) take(all.toString('hex', at, at + ID_BYTES), at / ID_BYTES);
  }
}
