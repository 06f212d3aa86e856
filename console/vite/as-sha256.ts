/**
 * Stands in for `@chainsafe/as-sha256`: the SSZ library takes five small functions from it, and its import compiles WebAssembly, which a page's
 * Content-Security-Policy forbids. Our codecs need no tree hashing: packages/primitives hashes by itself.
 */
interface HashObject {
  h0: number;
  h1: number;
  h2: number;
  h3: number;
  h4: number;
  h5: number;
  h6: number;
  h7: number;
}

const WORDS = ['h0', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7'] as const;

export function allocUnsafe(length: number): Uint8Array {
  return new Uint8Array(length);
}

export function byteArrayIntoHashObject(bytes: Uint8Array, offset: number, into: HashObject): void {
  const words = new DataView(bytes.buffer, bytes.byteOffset + offset, 32);
  WORDS.forEach((word, i) => {
    into[word] = words.getInt32(4 * i, true);
  });
}

export function byteArrayToHashObject(bytes: Uint8Array, offset: number): HashObject {
  const made: HashObject = { h0: 0, h1: 0, h2: 0, h3: 0, h4: 0, h5: 0, h6: 0, h7: 0 };
  byteArrayIntoHashObject(bytes, offset, made);
  return made;
}

export function hashObjectToByteArray(from: HashObject, bytes: Uint8Array, offset: number): void {
  const words = new DataView(bytes.buffer, bytes.byteOffset + offset, 32);
  WORDS.forEach((word, i) => {
    words.setInt32(4 * i, from[word], true);
  });
}

export function digest64HashObjects(): never {
  throw new Error('tree hashing is not part of the codecs: use sha256 of packages/primitives');
}
