/**
 * Seeded random numbers: xoshiro128**, 128 bits of state (Blackman and Vigna, "Scrambled Linear Pseudorandom Number
 * Generators", 2021), seeded by SHA-256 so that similar seeds give unrelated streams.
 *
 * A seed determines a load: the same senders, receivers and salts with any number of threads, because each block of
 * transfers has its own generator.
 */
import { sha256, utf8 } from '@slipstream/primitives';

export interface SeededRandom {
  /** Uniform in [0, 2^32). */
  uint32(): number;
  /** Uniform in [0, 1), 53 bits. */
  unit(): number;
  bytes(length: number): Uint8Array;
}

const TWO_32 = 2 ** 32;
const HIGH_BITS = 2 ** 26;
const TWO_53 = 2 ** 53;

/** `name`: the seed, and the part that distinguishes this generator from others of the seed. */
export function createSeededRandom(name: string): SeededRandom {
  const state = new Uint32Array(sha256(utf8(name)).slice(0, 16).buffer);

  function uint32(): number {
    const [a, b, c, d] = state as unknown as [number, number, number, number];
    const scrambled = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const mixed = c ^ a;
    const other = d ^ b;
    state[0] = a ^ other;
    state[1] = b ^ mixed;
    state[2] = mixed ^ (b << 9);
    state[3] = rotate(other, 11);
    return scrambled;
  }

  return {
    uint32,
    unit: () => ((uint32() >>> 5) * HIGH_BITS + (uint32() >>> 6)) / TWO_53,
    bytes(length) {
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; at++) bytes[at] = Math.floor((uint32() / TWO_32) * 256);
      return bytes;
    },
  };
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}
