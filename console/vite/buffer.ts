/**
 * Stands in for Node's `Buffer`: the SSZ library creates one in each list type, only for tree hashing, which our codecs do not use (as-sha256.ts).
 */
export default {
  from: (buffer: ArrayBuffer, offset: number, length: number) => new Uint8Array(buffer, offset, length),
  alloc: (length: number) => new Uint8Array(length),
};
