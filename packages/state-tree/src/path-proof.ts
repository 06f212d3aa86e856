/**
 * The path from a key's place to the root, and its wire form (state-proofs.md, "Proofs").
 *
 * The siblings of the wire form stand behind the words of the bucket: [T, path] of an entry, [M] of other keys.
 */
import {
  ByteListType,
  ByteVectorType,
  ContainerType,
  createCodec,
  ListCompositeType,
  UintNumberType,
  unreachable,
} from '@slipstream/primitives';
import { BUCKET_KEYS_MAX, DEPTH_MAX, levelsOver, PREFIX_BYTES, WORD_BYTES, ZERO_WORD } from './forms.ts';

/** What is at the key's place. */
export type Place =
  | { readonly kind: 'empty' }
  /** The key's entry in its bucket. */
  | {
      readonly kind: 'entry';
      readonly count: number;
      readonly index: number;
      readonly path: readonly Uint8Array[];
      readonly table: Uint8Array;
    }
  /** A bucket of other keys: the prefixes of all of them. */
  | { readonly kind: 'others'; readonly entriesRoot: Uint8Array; readonly prefixes: readonly Uint8Array[] };

export interface PathProof {
  readonly place: Place;
  /** From the root down; undefined: nothing there. */
  readonly siblings: readonly (Uint8Array | undefined)[];
}

export interface PathProofWire {
  readonly kind: number;
  readonly depth: number;
  readonly count: number;
  readonly index: number;
  readonly empty: Uint8Array;
  readonly words: readonly Uint8Array[];
  readonly prefixes: Uint8Array;
}

const KINDS = ['empty', 'entry', 'others'] as const;
const COUNT_BYTES = 2;
const PATH_MAX = 8 * COUNT_BYTES;

export const pathProofType = new ContainerType({
  kind: new UintNumberType(1),
  depth: new UintNumberType(1),
  count: new UintNumberType(COUNT_BYTES),
  index: new UintNumberType(COUNT_BYTES),
  empty: new ByteVectorType(DEPTH_MAX / 8),
  words: new ListCompositeType(new ByteVectorType(WORD_BYTES), 1 + PATH_MAX + DEPTH_MAX),
  prefixes: new ByteListType(BUCKET_KEYS_MAX * PREFIX_BYTES),
});

export const pathProofCodec = createCodec<PathProof, PathProofWire>(
  'state path',
  pathProofType,
  pathProofType.maxSize,
  { toWire: pathToWire, fromWire: pathFromWire },
);

export function pathToWire({ place, siblings }: PathProof): PathProofWire {
  const empty = new Uint8Array(DEPTH_MAX / 8);
  for (const [depth, sibling] of siblings.entries())
    if (sibling === undefined) empty[depth >> 3] = (empty[depth >> 3] as number) | (1 << (depth & 7));
  const isEntry = place.kind === 'entry';
  return {
    kind: KINDS.indexOf(place.kind),
    depth: siblings.length,
    count: isEntry ? place.count : 0,
    index: isEntry ? place.index : 0,
    empty,
    words: [...wordsOf(place), ...siblings.filter((sibling) => sibling !== undefined)],
    prefixes: place.kind === 'others' ? joined(place.prefixes) : new Uint8Array(),
  };
}

function wordsOf(place: Place): readonly Uint8Array[] {
  switch (place.kind) {
    case 'empty':
      return [];
    case 'entry':
      return [place.table, ...place.path];
    case 'others':
      return [place.entriesRoot];
    default:
      return unreachable(place, 'kind of place');
  }
}

function joined(prefixes: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(prefixes.length * PREFIX_BYTES);
  for (const [i, prefix] of prefixes.entries()) bytes.set(prefix, i * PREFIX_BYTES);
  return bytes;
}

/** Throws RangeError for words that are too few or too many; what the words say is checked with the proof. */
export function pathFromWire(wire: PathProofWire): PathProof {
  const { kind, depth, count, empty, words } = wire;
  if (depth > DEPTH_MAX) throw new RangeError(`a depth of ${depth}, at most ${DEPTH_MAX}`);
  const own = kind === 0 ? 0 : kind === 1 ? 1 + levelsOver(count) : 1;
  let next = own;
  const siblings: (Uint8Array | undefined)[] = [];
  for (let i = 0; i < depth; i++) {
    const isEmpty = (((empty[i >> 3] as number) >> (i & 7)) & 1) === 1;
    siblings.push(isEmpty ? undefined : words[next++]);
    if (!isEmpty && siblings[i] === undefined) throw new RangeError('too few words');
  }
  if (next !== words.length) throw new RangeError(`${words.length} words where ${next} belong`);
  return { place: placeFrom(wire, words.slice(0, own)), siblings };
}

function placeFrom({ kind, count, index, prefixes }: PathProofWire, words: readonly Uint8Array[]): Place {
  const [first = ZERO_WORD, ...path] = words;
  switch (KINDS[kind]) {
    case 'empty':
      return { kind: 'empty' };
    case 'entry':
      return { kind: 'entry', count, index, path, table: first };
    case 'others':
      return { kind: 'others', entriesRoot: first, prefixes: split(prefixes) };
    case undefined:
      throw new RangeError(`no kind of place: ${kind}`);
    default:
      return unreachable(KINDS[kind] as never, 'kind of place');
  }
}

function split(bytes: Uint8Array): readonly Uint8Array[] {
  if (bytes.length % PREFIX_BYTES !== 0) throw new RangeError('a prefix cut short');
  return Array.from({ length: bytes.length / PREFIX_BYTES }, (_, i) =>
    bytes.slice(i * PREFIX_BYTES, (i + 1) * PREFIX_BYTES),
  );
}
