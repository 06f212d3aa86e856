/**
 * SipHash-2-4 with 128 bits of output: a keyed hash that may stand for its input.
 *
 * Without the key no two inputs of equal hash can be searched for, nor one that equals a hash in a table. In WebAssembly,
 * because it takes 64-bit integers.
 *
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012, and its reference code for the 128-bit output.
 */
import { assert } from '@slipstream/primitives';
import {
  add,
  and,
  bits,
  type Code,
  less,
  load,
  local,
  loop,
  moduleOf,
  number,
  or,
  rotateLeft,
  set,
  shiftLeft,
  store,
  subtract,
  sum,
  wide,
  widened,
  xor,
} from './wasm.ts';

export const SIP_KEY_BYTES = 16;
export const SIP_INPUT_BYTES_MAX = 16_384;

interface SipHash {
  /** The caller writes here, directly before `run`. */
  readonly input: Uint8Array;
  /** Four words: the hash, until the next `run`. */
  readonly output: Int32Array;
  /** Hashes the first bytes of the input. */
  run(bytes: number): void;
  /** Of memory, shared by all of a thread. */
  readonly bytes: number;
}

declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; readonly run: (bytes: number) => void };
  };
};

const KEY_AT = 0;
const OUTPUT_AT = 16;
const INPUT_AT = 32;
const WORDS = 4;

/** One for each thread: V8 reserves gigabytes of addresses for each. */
let machine: (Omit<SipHash, 'bytes'> & { readonly key: Int32Array }) | undefined;

/** All of a thread share input and output. */
export function createSipHash(hashKey: Uint8Array): SipHash {
  assert(hashKey.length === SIP_KEY_BYTES, `a SipHash key has ${SIP_KEY_BYTES} bytes`);
  machine ??= compile();
  const { input, output, key, run } = machine;
  const words = new Int32Array(Uint8Array.from(hashKey).buffer);
  const [word0, word1, word2, word3] = words as unknown as readonly [number, number, number, number];
  return {
    input,
    output,
    run(bytes) {
      key[0] = word0;
      key[1] = word1;
      key[2] = word2;
      key[3] = word3;
      run(bytes);
    },
    bytes: input.buffer.byteLength,
  };
}

function compile() {
  const { memory, run } = new WebAssembly.Instance(new WebAssembly.Module(sipHashModule())).exports;
  return {
    key: new Int32Array(memory.buffer, KEY_AT, WORDS),
    output: new Int32Array(memory.buffer, OUTPUT_AT, WORDS),
    input: new Uint8Array(memory.buffer, INPUT_AT, SIP_INPUT_BYTES_MAX),
    run,
  };
}

/** Of the function in WebAssembly: its parameter, then its variables. */
const BYTES = 0;
const AT = 1;
const END = 2;
const [V0, V1, V2, V3, WORD] = [3, 4, 5, 6, 7] as const;

const mix = (a: number, b: number, by: number): Code => [
  ...set(a, add(local(a), local(b))),
  ...set(b, xor(rotateLeft(local(b), by), local(a))),
];
const ROUND: Code = [
  ...mix(V0, V1, 13),
  ...set(V0, rotateLeft(local(V0), 32)),
  ...mix(V2, V3, 16),
  ...mix(V0, V3, 21),
  ...mix(V2, V1, 17),
  ...set(V2, rotateLeft(local(V2), 32)),
];
const rounds = (count: number): Code => new Array<Code>(count).fill(ROUND).flat();
const change = (index: number, by: bigint): Code => set(index, xor(local(index), wide(by)));
const absorb = (): Code => [
  ...set(V3, xor(local(V3), local(WORD))),
  ...rounds(2),
  ...set(V0, xor(local(V0), local(WORD))),
];
const finish = (offset: number): Code => [
  ...rounds(4),
  ...store(number(OUTPUT_AT), xor(xor(local(V0), local(V1)), xor(local(V2), local(V3))), offset),
];
const keyed = (index: number, key: number, by: bigint): Code => set(index, xor(load(number(KEY_AT), key), wide(by)));
const wholeWords = set(END, sum(number(INPUT_AT), bits(local(BYTES), number(-8))));
/** The rest, below the length in the highest byte. */
const tailBits = shiftLeft(widened(bits(local(BYTES), number(7))), wide(3n));
const lastWord = or(
  and(load(local(END)), subtract(shiftLeft(wide(1n), tailBits), wide(1n))),
  shiftLeft(widened(local(BYTES)), wide(56n)),
);

function sipHashModule(): Uint8Array<ArrayBuffer> {
  return moduleOf({
    parameters: 1,
    locals32: 2,
    locals64: 5,
    body: [
      keyed(V0, 0, 0x736f6d6570736575n),
      keyed(V1, 8, 0x646f72616e646f6dn ^ 0xeen),
      keyed(V2, 0, 0x6c7967656e657261n),
      keyed(V3, 8, 0x7465646279746573n),
      wholeWords,
      set(AT, number(INPUT_AT)),
      loop(less(local(AT), local(END)), set(WORD, load(local(AT))), absorb(), set(AT, sum(local(AT), number(8)))),
      set(WORD, lastWord),
      absorb(),
      change(V2, 0xeen),
      finish(0),
      change(V1, 0xddn),
      finish(8),
    ],
  });
}
