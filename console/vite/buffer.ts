/**
 * Stands in for Node's `Buffer` in the page.
 *
 * The SSZ library makes one in each list type, for tree hashing alone, which our codecs do not use (see as-sha256.ts): plain bytes
 * will do.
 */
export default {
  from: (buffer: ArrayBuffer, offset: number, length: number) => new Uint8Array(buffer, offset, length),
  alloc: (length: number) => new Uint8Array(length),
};
