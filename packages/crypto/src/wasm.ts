/** WebAssembly for functions of 64-bit integers, which JavaScript computes ten times slower: the instructions in use, as expressions. */

/** Bytes of an instruction with its operands. */
export type Code = readonly number[];

const I32 = 0x7f;
const I64 = 0x7e;
const NO_RESULT = 0x40;

export const local = (index: number): Code => [0x20, index];
export const set = (index: number, value: Code): Code => [...value, 0x21, index];
export const number = (value: number): Code => [0x41, ...signed(BigInt(value))];
export const wide = (value: bigint): Code => [0x42, ...signed(BigInt.asIntN(64, value))];
export const widened = (value: Code): Code => [...value, 0xad];
export const less = (a: Code, b: Code): Code => [...a, ...b, 0x49];
export const sum = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
export const bits = (a: Code, b: Code): Code => [...a, ...b, 0x71];
export const load = (address: Code, offset = 0): Code => [...address, 0x29, 0, ...unsigned(offset)];
export const store = (address: Code, value: Code, offset = 0): Code => [
  ...address,
  ...value,
  0x37,
  0,
  ...unsigned(offset),
];
export const add = (a: Code, b: Code): Code => [...a, ...b, 0x7c];
export const subtract = (a: Code, b: Code): Code => [...a, ...b, 0x7d];
export const and = (a: Code, b: Code): Code => [...a, ...b, 0x83];
export const or = (a: Code, b: Code): Code => [...a, ...b, 0x84];
export const xor = (a: Code, b: Code): Code => [...a, ...b, 0x85];
export const shiftLeft = (a: Code, b: Code): Code => [...a, ...b, 0x86];
export const rotateLeft = (a: Code, by: number): Code => [...a, ...wide(BigInt(by)), 0x89];
/** While the condition holds. */
export const loop = (condition: Code, ...body: readonly Code[]): Code => [
  ...[0x02, NO_RESULT, 0x03, NO_RESULT],
  ...condition,
  ...[0x45, 0x0d, 1],
  ...body.flat(),
  ...[0x0c, 0, 0x0b, 0x0b],
];

interface WasmFunction {
  /** 32-bit parameters, then locals of 32 and of 64 bits, numbered in this order. */
  readonly parameters: number;
  readonly locals32: number;
  readonly locals64: number;
  readonly body: readonly Code[];
}

/** A module that exports `run` and one page of `memory`. */
export function moduleOf({ parameters, locals32, locals64, body }: WasmFunction): Uint8Array<ArrayBuffer> {
  const locals = [2, ...unsigned(locals32), I32, ...unsigned(locals64), I64];
  const code = [...locals, ...body.flat(), 0x0b];
  return new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, parameters, ...new Array(parameters).fill(I32), 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 1, 1, 1]),
    ...section(7, [2, ...name('run'), 0, 0, ...name('memory'), 2, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}

const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];
const name = (text: string): Code => [text.length, ...[...text].map((letter) => letter.charCodeAt(0))];

function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: bigint): Code {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const isLast = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}
