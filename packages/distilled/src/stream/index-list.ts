/** Numbers of 32 bits as shortest varints; ascending ones as differences, the first to -1, less one. */
import { ByteListType } from '@slipstream/primitives';
import { cursorAt, readVarint32, writeVarint32 } from '../varints.ts';

const VARINT_BYTES_MAX = 5;
const UINT32_MAX = 0xffff_ffff;

export function numbersType(most: number): ByteListType {
  return new ByteListType(VARINT_BYTES_MAX * most);
}

export function encodeNumbers(numbers: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(VARINT_BYTES_MAX * numbers.length);
  let at = 0;
  for (const number of numbers) at = writeVarint32(bytes, at, number);
  return bytes.slice(0, at);
}

/** Throws RangeError for more than `most` numbers, and for bytes that are none. */
export function decodeNumbers(bytes: Uint8Array, most: number): Uint32Array {
  const count = countVarints(bytes);
  if (count > most) throw new RangeError(`${count} numbers, at most ${most} are allowed`);
  const numbers = new Uint32Array(count);
  const cursor = cursorAt(bytes, 0);
  for (let i = 0; i < count; i++) numbers[i] = readVarint32(cursor);
  if (cursor.fault !== undefined || cursor.at !== bytes.length) {
    throw new RangeError(`a number before byte ${cursor.at} is ${cursor.fault ?? 'cut-short'}`);
  }
  return numbers;
}

/** The last byte of each has no bit 7. */
function countVarints(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte < 0x80) count++;
  return count;
}

/** Throws RangeError unless they ascend strictly. */
export function encodeAscending(numbers: Uint32Array): Uint8Array {
  const gaps = new Uint32Array(numbers.length);
  let before = -1;
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number;
    if (number <= before) throw new RangeError(`${number} after ${before} does not ascend`);
    gaps[i] = number - before - 1;
    before = number;
  }
  return encodeNumbers(gaps);
}

/** Throws RangeError, as decodeNumbers does. */
export function decodeAscending(bytes: Uint8Array, most: number): Uint32Array {
  const numbers = decodeNumbers(bytes, most);
  let before = -1;
  for (let i = 0; i < numbers.length; i++) {
    const number = before + 1 + (numbers[i] as number);
    if (number > UINT32_MAX) throw new RangeError('a number is beyond 32 bits');
    numbers[i] = number;
    before = number;
  }
  return numbers;
}
