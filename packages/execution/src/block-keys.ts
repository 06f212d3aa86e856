/**
 * Numbers of a block's keys, from 0 on in the order of their first use: what is known of a key stands in columns by its number.
 *
 *   key --keyed hash--> slot --> number --> its bytes
 *
 * Senders choose keys, so the hash has a secret, and keys are compared in full. No number follows from the secret.
 */
import { HASH_KEY_BYTES, halfSipHash } from '@slipstream/crypto';
import { assert } from '@slipstream/primitives';
import { fillKey, type KeyParts } from './state-keys.ts';

export interface BlockKeys {
  numberOf(key: KeyParts): number;
  /** Orders two keys by their bytes. */
  compare(a: number, b: number): number;
  /** Its first byte. */
  kindOf(number: number): number;
  bytesOf(number: number): number;
  /** Returns where the key ends. */
  copy(number: number, into: Uint8Array, at: number): number;
  readonly count: number;
  /** Forgets all keys, for the next block. */
  clear(): void;
}

/** Of the state store. */
const KEY_BYTES_MAX = 64;
const REST_BYTES_MAX = KEY_BYTES_MAX - 2;
const WORD_BYTES = 4;
const KEYS_AT_FIRST = 256;
/** The memory of more is released before the next block: 2.5 MB. */
const KEYS_RETAINED = 32_768;
/** Words of an account's key. */
const WORDS_EXPECTED = 9;

interface Columns {
  /** Open addressing, at most half full: a number plus one. */
  readonly slots: Int32Array;
  readonly hashes: Int32Array;
  /** First word of the key, and its length. */
  readonly starts: Int32Array;
  readonly lengths: Uint8Array;
}

/** `hashKey`: eight secret bytes. */
export function createBlockKeys(hashKey: Uint8Array): BlockKeys {
  assert(hashKey.length === HASH_KEY_BYTES, `a hash key has ${HASH_KEY_BYTES} bytes`);
  const secret = new DataView(hashKey.slice().buffer);
  const [key0, key1] = [secret.getInt32(0, true), secret.getInt32(4, true)];
  const wanted = new Int32Array(KEY_BYTES_MAX / WORD_BYTES);
  const wantedBytes = new Uint8Array(wanted.buffer);
  let columns = createColumns(KEYS_AT_FIRST);
  let words = new Int32Array(KEYS_AT_FIRST * WORDS_EXPECTED);
  let bytes = new Uint8Array(words.buffer);
  let count = 0;
  let end = 0;

  function isWanted(number: number, length: number): boolean {
    if (columns.lengths[number] !== length) return false;
    const start = columns.starts[number] as number;
    const wordCount = wordsFor(length);
    for (let i = 0; i < wordCount; i++) if (words[start + i] !== wanted[i]) return false;
    return true;
  }

  function add(length: number, hash: number, slot: number): number {
    const wordCount = wordsFor(length);
    if (end + wordCount > words.length) widen();
    for (let i = 0; i < wordCount; i++) words[end + i] = wanted[i] as number;
    columns.slots[slot] = count + 1;
    columns.hashes[count] = hash;
    columns.starts[count] = end;
    columns.lengths[count] = length;
    end += wordCount;
    count += 1;
    if (count === columns.hashes.length) columns = grown(columns);
    return count - 1;
  }

  function widen(): void {
    const wider = new Int32Array(2 * words.length);
    wider.set(words);
    words = wider;
    bytes = new Uint8Array(words.buffer);
  }

  return {
    numberOf(key) {
      assert(key.rest.length <= REST_BYTES_MAX, 'a key has 64 bytes at most, with its head');
      const length = fillKey(key, wantedBytes);
      for (let at = length; at % WORD_BYTES !== 0; at++) wantedBytes[at] = 0;
      const hash = halfSipHash(wanted, wordsFor(length), key0, key1) | 0;
      const { slots, hashes } = columns;
      const mask = slots.length - 1;
      let slot = hash & mask;
      for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
        const number = (slots[slot] as number) - 1;
        if (hashes[number] === hash && isWanted(number, length)) return number;
      }
      return add(length, hash, slot);
    },
    compare(a, b) {
      const { starts, lengths } = columns;
      const [first, second] = [WORD_BYTES * (starts[a] as number), WORD_BYTES * (starts[b] as number)];
      const [one, other] = [lengths[a] as number, lengths[b] as number];
      const both = Math.min(one, other);
      for (let i = 0; i < both; i++) {
        const difference = (bytes[first + i] as number) - (bytes[second + i] as number);
        if (difference !== 0) return difference;
      }
      return one - other;
    },
    kindOf: (number) => bytes[WORD_BYTES * (columns.starts[number] as number)] as number,
    bytesOf: (number) => columns.lengths[number] as number,
    copy(number, into, at) {
      const from = WORD_BYTES * (columns.starts[number] as number);
      const length = columns.lengths[number] as number;
      for (let i = 0; i < length; i++) into[at + i] = bytes[from + i] as number;
      return at + length;
    },
    get count() {
      return count;
    },
    clear() {
      if (count > KEYS_RETAINED) columns = createColumns(KEYS_AT_FIRST);
      else columns.slots.fill(0);
      if (words.length > KEYS_RETAINED * WORDS_EXPECTED) {
        words = new Int32Array(KEYS_AT_FIRST * WORDS_EXPECTED);
        bytes = new Uint8Array(words.buffer);
      }
      count = 0;
      end = 0;
    },
  };
}

const wordsFor = (length: number): number => (length + WORD_BYTES - 1) >>> 2;

function createColumns(capacity: number): Columns {
  return {
    slots: new Int32Array(2 * capacity),
    hashes: new Int32Array(capacity),
    starts: new Int32Array(capacity),
    lengths: new Uint8Array(capacity),
  };
}

/** Of full columns. */
function grown({ hashes, starts, lengths }: Columns): Columns {
  const wider = createColumns(2 * hashes.length);
  wider.hashes.set(hashes);
  wider.starts.set(starts);
  wider.lengths.set(lengths);
  const mask = wider.slots.length - 1;
  for (let number = 0; number < hashes.length; number++) {
    let slot = (hashes[number] as number) & mask;
    while (wider.slots[slot] !== 0) slot = (slot + 1) & mask;
    wider.slots[slot] = number + 1;
  }
  return wider;
}
