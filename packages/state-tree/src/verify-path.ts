/** Checks a path against a root. Runs in browsers. Everything in a proof is foreign input. */
import { bytesEqual, fail, ok, type Result, unreachable } from '@slipstream/primitives';
import {
  BUCKET_KEYS_MAX,
  bitAt,
  bucketHash,
  DEPTH_MAX,
  entryOf,
  hashPair,
  isCountWord,
  KEY_BYTES_MAX,
  levelsOver,
  PREFIX_BYTES,
  placeOf,
  tableHash,
  VALUE_BYTES_MAX,
  WORD_BYTES,
  ZERO_WORD,
} from './forms.ts';
import type { PathProof, Place } from './path-proof.ts';

export type PathFault =
  | 'form' // no tree has such a path
  | 'value' // the proof shows a value where none is claimed, or the other way round
  | 'path'; // it leads to another root

/** `value` undefined: the key has none. */
export function verifyPath(
  root: Uint8Array,
  key: Uint8Array,
  value: Uint8Array | undefined,
  proof: PathProof,
): Result<undefined, PathFault> {
  if (!isKey(key) || (value !== undefined && value.length > VALUE_BYTES_MAX)) return fail('form');
  if (!hasForm(proof)) return fail('form');
  if ((proof.place.kind === 'entry') !== (value !== undefined)) return fail('value');
  const place = placeOf(key);
  if (proof.place.kind === 'others' && isAmong(place, proof.place.prefixes)) return fail('value');
  const found = pathRoot(place, value === undefined ? ZERO_WORD : entryOf(key, value), proof);
  return bytesEqual(found, root) ? ok(undefined) : fail('path');
}

function isKey(key: Uint8Array): boolean {
  return key.length > 0 && key.length <= KEY_BYTES_MAX;
}

function isAmong(place: Uint8Array, prefixes: readonly Uint8Array[]): boolean {
  const own = place.subarray(0, PREFIX_BYTES);
  return prefixes.some((prefix) => bytesEqual(prefix, own));
}

function hasForm({ place, siblings }: PathProof): boolean {
  if (siblings.length > DEPTH_MAX) return false;
  return (
    siblings.every((sibling) => sibling === undefined || isHash(sibling)) && hasFormOfPlace(place, siblings.length)
  );
}

/** Neither nothing, which the mask of a proof says, nor the count of a bucket. */
function isHash(word: Uint8Array): boolean {
  return word.length === WORD_BYTES && !isCountWord(word);
}

function hasFormOfPlace(place: Place, depth: number): boolean {
  switch (place.kind) {
    case 'empty':
      return true;
    case 'entry': {
      const { count, index, path, table } = place;
      const fits = count <= BUCKET_KEYS_MAX || depth === DEPTH_MAX;
      if (count < 1 || !fits || index >= count || path.length !== levelsOver(count)) return false;
      return table.length === WORD_BYTES && path.every(({ length }) => length === WORD_BYTES);
    }
    case 'others': {
      const { prefixes, entriesRoot } = place;
      if (prefixes.length < 1 || prefixes.length > BUCKET_KEYS_MAX) return false;
      return entriesRoot.length === WORD_BYTES && prefixes.every(({ length }) => length === PREFIX_BYTES);
    }
    default:
      return unreachable(place, 'kind of place');
  }
}

/** The root that a proof of right form leads to. `entry` is used where the place is an entry. */
export function pathRoot(place: Uint8Array, entry: Uint8Array, proof: PathProof): Uint8Array {
  let word = wordAt(proof.place, entry);
  for (let depth = proof.siblings.length - 1; depth >= 0; depth--) {
    const sibling = proof.siblings[depth] ?? ZERO_WORD;
    word = bitAt(place, depth) === 1 ? hashPair(sibling, word) : hashPair(word, sibling);
  }
  return word;
}

function wordAt(place: Place, entry: Uint8Array): Uint8Array {
  switch (place.kind) {
    case 'empty':
      return ZERO_WORD;
    case 'entry': {
      let [word, index] = [entry, place.index];
      for (const sibling of place.path) {
        word = (index & 1) === 1 ? hashPair(sibling, word) : hashPair(word, sibling);
        index >>= 1;
      }
      return bucketHash(word, place.table, place.count);
    }
    case 'others':
      return bucketHash(place.entriesRoot, tableHash(place.prefixes), place.prefixes.length);
    default:
      return unreachable(place, 'kind of place');
  }
}
