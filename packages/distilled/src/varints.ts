/**
 * Shortest varints: seven bits a byte, the lowest first; the highest bit says that another byte follows. The last of several bytes is not
 * zero, so a number has one form.
 */

/** Reading stops at the first fault. */
export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
  fault: VarintFault | undefined;
}

export type VarintFault = 'cut-short' | 'not-shortest' | 'too-large';

export function cursorAt(bytes: Uint8Array, at: number): Cursor {
  return { bytes, at, fault: undefined };
}

const LAST_SHIFT_32 = 28;

/** Zero after a fault. */
export function readVarint32(cursor: Cursor): number {
  const { bytes } = cursor;
  const first = bytes[cursor.at];
  if (first !== undefined && first < 0x80) {
    cursor.at++;
    return first;
  }
  let value = 0;
  for (let shift = 0; shift <= LAST_SHIFT_32; shift += 7) {
    const byte = bytes[cursor.at];
    if (byte === undefined) return failed(cursor, 'cut-short');
    cursor.at++;
    if (shift === LAST_SHIFT_32 && byte > 0x0f) return failed(cursor, 'too-large');
    // Above 31 bits a shift would change the sign.
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return byte === 0 ? failed(cursor, 'not-shortest') : value;
  }
  return failed(cursor, 'too-large');
}

const LAST_SHIFT_64 = 63;

/** Writes the low and the high word into `target` from `at` on. */
export function readVarint64(cursor: Cursor, target: Uint32Array, at: number): void {
  const { bytes } = cursor;
  let low = 0;
  let high = 0;
  for (let shift = 0; shift <= LAST_SHIFT_64; shift += 7) {
    const byte = bytes[cursor.at];
    if (byte === undefined) {
      failed(cursor, 'cut-short');
      return;
    }
    cursor.at++;
    if (shift === LAST_SHIFT_64 && byte > 1) {
      failed(cursor, 'too-large');
      return;
    }
    const bits = byte & 0x7f;
    if (shift < 32) low |= bits << shift;
    if (shift >= 32) high |= bits << (shift - 32);
    else if (shift > 25) high |= bits >>> (32 - shift);
    if (byte < 0x80) {
      if (byte === 0 && shift > 0) failed(cursor, 'not-shortest');
      target[at] = low;
      target[at + 1] = high;
      return;
    }
  }
}

function failed(cursor: Cursor, fault: VarintFault): number {
  cursor.fault ??= fault;
  return 0;
}

/** Returns the place after it. */
export function writeVarint32(target: Uint8Array, at: number, value: number): number {
  let rest = value;
  let place = at;
  while (rest > 0x7f) {
    target[place++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  target[place++] = rest;
  return place;
}

/** Returns the place after it. */
export function writeVarint64(target: Uint8Array, at: number, low: number, high: number): number {
  let [lowRest, highRest] = [low, high];
  let place = at;
  while (highRest !== 0 || lowRest > 0x7f) {
    target[place++] = (lowRest & 0x7f) | 0x80;
    lowRest = ((lowRest >>> 7) | (highRest << 25)) >>> 0;
    highRest >>>= 7;
  }
  target[place++] = lowRest;
  return place;
}
