/**
 * Seeded random numbers: xoshiro128** with its state from SHA-256(seed, purpose). Each purpose has an independent stream, so an additional
 * draw changes nothing elsewhere.
 *
 * Source: Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021.
 */
import type { Random } from '@slipstream/ports';
import { sha256, utf8 } from '@slipstream/primitives';

export interface SeededRandom extends Random {
  /** One stream per purpose, whatever was drawn before. */
  fork(purpose: string): SeededRandom;
  chance(probability: number): boolean;
  /** Throws RangeError for an empty list. */
  pick<T>(choices: readonly T[]): T;
}

const TWO_TO_32 = 0x1_0000_0000;
const TWO_TO_53 = 0x20_0000_0000_0000;

export function createRandom(seed: string | number): SeededRandom {
  const digest = sha256(utf8(`slipstream-simulation/${seed}`));
  const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  let a = view.getUint32(0, true);
  let b = view.getUint32(4, true);
  let c = view.getUint32(8, true);
  let d = view.getUint32(12, true) | 1; // not all zero

  function uint32(): number {
    const scrambled = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return scrambled;
  }

  function unit(): number {
    return ((uint32() >>> 5) * 0x400_0000 + (uint32() >>> 6)) / TWO_TO_53;
  }

  function below(bound: number): number {
    if (!Number.isSafeInteger(bound) || bound < 1) throw new RangeError(`no integer lies in [0, ${bound})`);
    if (bound > TWO_TO_32) return Math.floor(unit() * bound);
    const fair = TWO_TO_32 - (TWO_TO_32 % bound);
    for (;;) {
      const draw = uint32();
      if (draw < fair) return draw % bound;
    }
  }

  function bytes(length: number): Uint8Array {
    const filled = new Uint8Array(length);
    for (let i = 0; i < length; i += 4) {
      const word = uint32();
      for (let k = 0; k < 4 && i + k < length; k++) filled[i + k] = word >>> (8 * k);
    }
    return filled;
  }

  return {
    bytes,
    below,
    unit,
    chance: (probability) => probability > 0 && unit() < probability,
    pick: (choices) => choices[below(choices.length)] as (typeof choices)[number],
    fork: (purpose) => createRandom(`${seed}/${purpose}`),
  };
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
