/** Damage that finds faults in decoders: flipped bits, edge values in lengths and offsets, cuts, pieces of other samples. */
import type { SeededRandom } from '@slipstream/simulator';

const EDGE_BYTES = [0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff];
const EDGE_WORDS = [0, 1, 4, 0x7f_ff_ff_ff, 0x80_00_00_00, 0xff_ff_ff_fc, 0xff_ff_ff_ff];
const CHANGES_MAX = 3;
const NOISE_BYTES_MAX = 512;

/** One in 32 is only noise. `other`: source of pieces. */
export function mutate(sample: Uint8Array, other: Uint8Array, random: SeededRandom): Uint8Array {
  if (random.below(32) === 0) return random.bytes(random.below(NOISE_BYTES_MAX));
  let bytes: Uint8Array = sample.slice();
  for (let left = 1 + random.below(CHANGES_MAX); left > 0; left--) bytes = change(bytes, other, random);
  return bytes;
}

function change(bytes: Uint8Array, other: Uint8Array, random: SeededRandom): Uint8Array {
  if (bytes.length === 0) return random.bytes(1 + random.below(8));
  const at = random.below(bytes.length);
  switch (random.below(9)) {
    case 0:
    case 1:
      bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
      return bytes;
    case 2:
      bytes[at] = random.pick(EDGE_BYTES);
      return bytes;
    case 3:
      return withWord(bytes, at, random.pick(EDGE_WORDS));
    case 4:
      return withWord(bytes, at, near(bytes, at, random));
    case 5:
      return bytes.slice(0, at);
    case 6:
      return joined(bytes, random.bytes(1 + random.below(64)));
    case 7:
      return withPiece(bytes, at, other, random);
    default:
      return joined(bytes.slice(0, at), bytes.slice(Math.min(bytes.length, at + 1 + random.below(64))));
  }
}

function withWord(bytes: Uint8Array, at: number, value: number): Uint8Array {
  if (at + 4 <= bytes.length) new DataView(bytes.buffer, bytes.byteOffset).setUint32(at, value, true);
  return bytes;
}

/** A little more or less, such as an offset off by one. */
function near(bytes: Uint8Array, at: number, random: SeededRandom): number {
  const there = at + 4 <= bytes.length ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true) : 0;
  return (there + random.below(9) - 4) >>> 0;
}

function withPiece(bytes: Uint8Array, at: number, other: Uint8Array, random: SeededRandom): Uint8Array {
  const from = random.below(other.length + 1);
  const piece = other.subarray(from, from + random.below(other.length - from + 1));
  if (random.below(2) === 0) return joined(joined(bytes.slice(0, at), piece), bytes.subarray(at));
  bytes.set(piece.subarray(0, bytes.length - at), at);
  return bytes;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
