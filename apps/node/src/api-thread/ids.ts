import { ID_BYTES } from '@slipstream/types';

/** Packs lower-case hexadecimal ids. */
export function packIds(ids: readonly string[]): Uint8Array {
  return Buffer.from(ids.join(''), 'hex');
}

/** Number that distinguishes most ids; converting each id to hexadecimal would cost ten times as much. */
export type IdPrefix = number;

const PREFIX_DIGITS = 8;

export function prefixOf(id: string): IdPrefix {
  return Number.parseInt(id.slice(0, PREFIX_DIGITS), 16);
}

/** Calls `take` with the hexadecimal id and the place of each id whose prefix is wanted. */
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
