/** The same root by plain recursion over contents, written from state-proofs.md ("Hashes"). */
import { sha256 } from '@slipstream/primitives';

const ZERO = new Uint8Array(32);

function hash(...words: readonly Uint8Array[]): Uint8Array {
  return sha256(Buffer.concat(words));
}

function block(bytes: Uint8Array, size: number, last: number): Uint8Array {
  const padded = new Uint8Array(size);
  padded.set(bytes);
  padded[size - 1] = last;
  return padded;
}

interface Entry {
  readonly place: Uint8Array;
  readonly entry: Uint8Array;
}

function entryOf(key: Uint8Array, value: Uint8Array): Entry {
  const place = hash(block(key, 64, key.length));
  if (value.length <= 31) return { place, entry: hash(place, block(value, 32, value.length)) };
  return { place, entry: hash(hash(block(key, 64, key.length + 128)), hash(value)) };
}

function small(entries: readonly Uint8Array[], width: number): Uint8Array {
  if (width === 1) return entries[0] ?? ZERO;
  return hash(small(entries.slice(0, width / 2), width / 2), small(entries.slice(width / 2), width / 2));
}

function bucket(entries: readonly Entry[]): Uint8Array {
  const ordered = entries.toSorted(
    (a, b) => Buffer.compare(a.place.subarray(0, 8), b.place.subarray(0, 8)) || Buffer.compare(a.entry, b.entry),
  );
  let width = 1;
  while (width < ordered.length) width *= 2;
  const table = new Uint8Array(64);
  for (const [i, { place }] of ordered.slice(0, 8).entries()) table.set(place.subarray(0, 8), 8 * i);
  const root = small(
    ordered.map(({ entry }) => entry),
    width,
  );
  const count = new Uint8Array(32);
  new DataView(count.buffer).setUint32(0, ordered.length, true);
  return hash(hash(root, hash(table)), count);
}

function subtree(entries: readonly Entry[], depth: number): Uint8Array {
  if (entries.length === 0) return ZERO;
  if (entries.length <= 8 || depth === 64) return bucket(entries);
  const isRight = ({ place }: Entry) => ((place[depth >> 3] as number) >> (7 - (depth & 7))) % 2 === 1;
  return hash(
    subtree(
      entries.filter((entry) => !isRight(entry)),
      depth + 1,
    ),
    subtree(entries.filter(isRight), depth + 1),
  );
}

/** Keys in hexadecimal. */
export type State = ReadonlyMap<string, Uint8Array>;

export function plainRoot(state: State): Uint8Array {
  return subtree(
    [...state].map(([key, value]) => entryOf(Buffer.from(key, 'hex'), value)),
    0,
  );
}
