/**
 * A BLS signature of 192 bytes as 96: x, and in its first bits that it is compressed and which of the two y it has. Of the coordinates in the
 * field's extension the second part comes first. Source: ZCash's serialization of BLS12-381.
 */
import { assert, compareBytes, fromHex } from '@slipstream/primitives';
import { BLS_AGGREGATE_BYTES, BLS_SIGNATURE_BYTES } from '../limits.ts';

const COMPRESSED = 0x80;
const LARGER_Y = 0x20;
const PART_BYTES = BLS_AGGREGATE_BYTES / 2;
/** (p - 1) / 2. */
const HALF = fromHex(
  '0d0088f51cbff34d258dd3db21a5d66bb23ba5c279c2895fb39869507b587b120f55ffff58a9ffffdcff7fffffffd555',
);

export function compressSignature(signature: Uint8Array): Uint8Array {
  assert(signature.length === BLS_SIGNATURE_BYTES, 'an uncompressed signature has two coordinates');
  const compressed = signature.slice(0, BLS_AGGREGATE_BYTES);
  const [high, low] = [0, PART_BYTES].map((from) =>
    signature.subarray(BLS_AGGREGATE_BYTES + from, BLS_AGGREGATE_BYTES + from + PART_BYTES),
  ) as [Uint8Array, Uint8Array];
  const isLarger = compareBytes(high.some((byte) => byte !== 0) ? high : low, HALF) > 0;
  compressed[0] = (compressed[0] as number) | COMPRESSED | (isLarger ? LARGER_Y : 0);
  return compressed;
}
