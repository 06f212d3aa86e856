/** Digest: a running 64-bit number by which two runs are compared. Word by word as in MurmurHash3 (Appleby, 2011): fast, not secure. */
export interface Digest {
  /** `bytes` must be aligned to four bytes. */
  add(bytes: Uint8Array): void;
  readonly low: number;
  readonly high: number;
}

export function createDigest(): Digest {
  let low = 0x9747b28c;
  let high = 0x3c6ef372;

  function mix(word: number): void {
    low = Math.imul(low ^ Math.imul(word, 0xcc9e2d51), 0x85ebca6b);
    low = (low << 13) | (low >>> 19);
    high = Math.imul(high ^ word ^ low, 0xc2b2ae35);
    high = (high << 15) | (high >>> 17);
  }

  return {
    add(bytes) {
      mix(bytes.length);
      const words = bytes.length >>> 2;
      const inPlace = new Int32Array(bytes.buffer, bytes.byteOffset, words);
      for (let i = 0; i < words; i++) mix(inPlace[i] as number);
      for (let i = 4 * words; i < bytes.length; i++) mix(bytes[i] as number);
    },
    get low() {
      return low >>> 0;
    },
    get high() {
      return high >>> 0;
    },
  };
}
