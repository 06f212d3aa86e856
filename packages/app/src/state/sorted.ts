/**
 * Values by key, in the order of keys.
 *
 * Keys of the host are `0` and the number of a node (u32, big-endian), or `1` and the key of an entry. Entries stand by themselves: reading
 * one, or changing its value, touches no node, and a proof of it needs none. Adding and removing change one or two nodes, seldom more.
 */
import { bytesOfText, byteTextFrom } from '../forms/byte-text.ts';
import { badValue } from '../forms/errors.ts';
import { decode, encode, type Form } from '../forms/form.ts';
import { writeKeyUint32 } from '../forms/integers.ts';
import { insertKey, type NodeStore, removeKey } from '../sorted/key-tree.ts';
import { type Scan, scanKeys } from '../sorted/scan.ts';
import { nodeLimits, treeNodeForm } from '../sorted/tree-node.ts';
import { hostInHand } from './call-in-hand.ts';
import { createTableNumber, type StateEntry } from './entry.ts';
import { type KeyCodec, type KeyForms, type KeyOf, keyCodec } from './keys.ts';
import { store, stored } from './stored.ts';
import { type ValueCodec, type VersionOptions, valueCodec } from './values.ts';

export interface Entry<K, T> {
  readonly key: K;
  readonly value: T;
}

export interface Range<K> {
  /** The least key. */
  readonly from?: K;
  /** All keys are below it. */
  readonly to?: K;
  /** Entries at most, 1 to 1,000. */
  readonly limit: number;
  /** Begins with the greatest. */
  readonly reverse?: boolean;
}

export interface Sorted<K, T> {
  first(): Entry<K, T> | undefined;
  last(): Entry<K, T> | undefined;
  get(key: K): T | undefined;
  set(key: K, value: T): void;
  delete(key: K): void;
  range(range: Range<K>): readonly Entry<K, T>[];
  readonly entry: StateEntry;
}

const NODE = 0;
export const SORTED_ENTRY = 1;
const KIND_BYTES = 1;
const RANGE_MAX = 1_000;

export function sorted<const K extends KeyForms, T, O>(
  key: K,
  value: Form<T>,
  options: VersionOptions<NoInfer<T>, O> = {},
): Sorted<KeyOf<K>, T> {
  return createSorted(keyCodec(key), valueCodec(value, options));
}

function createSorted<K, T>(key: KeyCodec<K>, value: ValueCodec<T>): Sorted<K, T> {
  const number = createTableNumber();
  const limits = nodeLimits(key.bytesMax);
  const nodes = createNodeStore(key, () => number.get());
  const hostKey = (bytes: Uint8Array) => hostInHand().key(number.get(), bytes, bytes.length);
  /** Behind the byte that marks an entry. */
  const textOf = (bytes: Uint8Array) => byteTextFrom(bytes, KIND_BYTES, bytes.length);
  const bytesOf = (wanted: K) => {
    const bytes = key.encode(wanted, KIND_BYTES);
    bytes[0] = SORTED_ENTRY;
    return bytes;
  };
  /** All values before the first is judged: a query fetches those that are missing together. */
  const entriesOf = (scan: Scan): readonly Entry<K, T>[] => {
    const keys = scanKeys(nodes, scan).map(entryKey);
    const found = keys.map((bytes) => stored(hostKey(bytes), held, nothing));
    return keys.map((bytes, i) => {
      const one = found[i];
      if (one === undefined) throw new Error('a sorted table has a key without an entry');
      return { key: key.decode(bytes, KIND_BYTES), value: value.decode(one, one.length) };
    });
  };
  return {
    first: () => entriesOf({ limit: 1, reverse: false })[0],
    last: () => entriesOf({ limit: 1, reverse: true })[0],
    get: (wanted) => stored(hostKey(bytesOf(wanted)), value, nothing),
    set(wanted, next) {
      const bytes = bytesOf(wanted);
      const at = hostKey(bytes);
      const isNew = !isStored(at);
      store(at, value, next);
      if (isNew) insertKey(nodes, limits, textOf(bytes));
    },
    delete(wanted) {
      const bytes = bytesOf(wanted);
      const at = hostKey(bytes);
      if (!isStored(at)) return;
      hostInHand().put(at, undefined, 0);
      removeKey(nodes, limits, textOf(bytes));
    },
    range({ from, to, limit, reverse = false }) {
      if (!Number.isInteger(limit) || limit < 1 || limit > RANGE_MAX)
        throw badValue(limit, `a limit of 1 to ${RANGE_MAX}`);
      const bound = (wanted: K | undefined) => (wanted === undefined ? undefined : textOf(bytesOf(wanted)));
      return entriesOf({ from: bound(from), to: bound(to), limit, reverse });
    },
    entry: {
      kind: 'sorted',
      key: key as KeyCodec<unknown>,
      value: value as ValueCodec<unknown>,
      empty: undefined,
      number,
    },
  };
}

/** What the host gets for the key of an entry. */
export function entryKey(text: string): Uint8Array {
  const bytes = new Uint8Array(KIND_BYTES + text.length);
  bytes[0] = SORTED_ENTRY;
  bytes.set(bytesOfText(text), KIND_BYTES);
  return bytes;
}

/** What the host gets for a node of the tree. */
export function nodeKey(node: number): Uint8Array {
  const bytes = new Uint8Array(KIND_BYTES + 4);
  bytes[0] = NODE;
  writeKeyUint32(bytes, KIND_BYTES, node);
  return bytes;
}

function createNodeStore({ fixedBytes, bytesMax }: KeyCodec<unknown>, tableNumber: () => number): NodeStore {
  const form = treeNodeForm(fixedBytes, bytesMax);
  const content = { decode: (bytes: Uint8Array, length: number) => decode(form, bytes, 0, length) };
  const hostKey = (node: number) => {
    const bytes = nodeKey(node);
    return hostInHand().key(tableNumber(), bytes, bytes.length);
  };
  return {
    read: (node) => stored(hostKey(node), content, nothing),
    write(node, next) {
      const bytes = encode(form, next);
      hostInHand().put(hostKey(node), bytes, bytes.length);
    },
    remove: (node) => hostInHand().put(hostKey(node), undefined, 0),
  };
}

const nothing = (): undefined => undefined;

/** The bytes as they are. */
const held = { decode: (bytes: Uint8Array, length: number): Uint8Array => bytes.slice(0, length) };

const isStored = (key: number): boolean => stored(key, { decode: () => true }, () => false);
