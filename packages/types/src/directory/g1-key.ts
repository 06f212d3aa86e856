/**
 * Public keys of BLS12-381 as 96 bytes (x, y) and as 48 (x, and which of the two y).
 *
 * A point of the curve has one form of each, so a proof of the short form proves the long one. The group is not checked here: the verifier
 * does that with the short form. Source: ZCash's serialization; the curve is y^2 = x^3 + 4 over the field of p.
 */
import { toHex } from '@slipstream/primitives';
import { BLS_PUBLIC_KEY_BYTES, BLS_UNCOMPRESSED_KEY_BYTES } from '../limits.ts';

const P = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn;
const HALF = (P - 1n) / 2n;

const COMPRESSED = 0x80;
const LARGER_Y = 0x20;
/** Of a form's first byte; none is set in 96 bytes of a point other than the identity. */
const FLAGS = 0xe0;

/** Undefined: no point of the curve, the identity, or not its one form. Shares no memory with `key`. */
export function compressKey(key: Uint8Array): Uint8Array | undefined {
  if (key.length !== BLS_UNCOMPRESSED_KEY_BYTES || ((key[0] as number) & FLAGS) !== 0) return undefined;
  const x = numberOf(key.subarray(0, BLS_PUBLIC_KEY_BYTES));
  const y = numberOf(key.subarray(BLS_PUBLIC_KEY_BYTES));
  if (x >= P || y >= P || (y * y - (x * x * x + 4n)) % P !== 0n) return undefined;
  const compressed = key.slice(0, BLS_PUBLIC_KEY_BYTES);
  compressed[0] = (compressed[0] as number) | COMPRESSED | (y > HALF ? LARGER_Y : 0);
  return compressed;
}

function numberOf(bigEndian: Uint8Array): bigint {
  return BigInt(`0x${toHex(bigEndian)}`);
}
