/** Paths of the committed state, read through the undo logs of the blocks above it. */
import { bytesEqual, fail, ok, type Result } from '@slipstream/primitives';
import type { BucketMemory } from './bucket-memory.ts';
import { StateTreeError } from './errors.ts';
import {
  BUCKET_KEYS_MAX,
  bitAt,
  hashPair,
  levelsOver,
  PREFIX_BYTES,
  placeOf,
  tableHash,
  WORD_BYTES,
  ZERO_WORD,
} from './forms.ts';
import { type NodeMemory, ROOT_SLOT } from './node-memory.ts';
import { HASH_WORDS, swapBytes } from './pair-buffer.ts';
import type { PathProof, Place } from './path-proof.ts';
import { MARK, ROW_WORDS } from './rows.ts';
import type { UndoLog } from './undo-log.ts';
import { pathRoot } from './verify-path.ts';

interface Memory {
  readonly nodes: NodeMemory;
  readonly buckets: BucketMemory;
  readonly secret: Uint8Array;
}

/** Another key's K begins with the same 8 bytes: that this one is absent cannot be shown (R9). */
export type NoProof = 'shared-prefix';

interface Slot {
  readonly ref: number;
  readonly hash: Uint8Array;
}

/** `logs`: of the blocks above the committed one, oldest first. Throws StateTreeError `damaged` (R7). */
export function makePath(
  { nodes, buckets, secret }: Memory,
  logs: readonly UndoLog[],
  root: Uint8Array,
  key: Uint8Array,
): Result<PathProof, NoProof> {
  const place = placeOf(key);
  const siblings: (Uint8Array | undefined)[] = [];
  let { ref } = slotAt(nodes, logs, ROOT_SLOT);
  while (ref > 0) {
    const side = bitAt(place, siblings.length);
    const sibling = slotAt(nodes, logs, 2 * ref + 1 - side);
    siblings.push(sibling.ref === 0 ? undefined : sibling.hash);
    ref = slotAt(nodes, logs, 2 * ref + side).ref;
  }
  const found: Found | undefined =
    ref === 0
      ? { place: { kind: 'empty' }, entry: ZERO_WORD }
      : lookUp({ buckets, logs, ref }, place, markOf(place, secret));
  if (found === undefined) return fail('shared-prefix');
  const proof = { place: found.place, siblings };
  if (!bytesEqual(pathRoot(place, found.entry, proof), root))
    throw new StateTreeError(
      'damaged',
      'the state tree in memory is damaged: a path does not lead to the root; restart the node',
    );
  return ok(proof);
}

interface Found {
  readonly place: Place;
  readonly entry: Uint8Array;
}

function slotAt(nodes: NodeMemory, logs: readonly UndoLog[], slot: number): Slot {
  const words = new Uint32Array(HASH_WORDS);
  for (const log of logs) {
    const record = log.find(slot);
    if (record === undefined) continue;
    log.readHash(record, words);
    return { ref: log.refAt(record), hash: new Uint8Array(words.buffer) };
  }
  nodes.readHash(slot, words, 0);
  return { ref: nodes.refOf(slot), hash: new Uint8Array(words.buffer) };
}

function markOf(place: Uint8Array, secret: Uint8Array): number {
  return new DataView(hashPair(place, secret).buffer).getUint32(WORD_BYTES - 4, true);
}

interface CommittedBucket {
  readonly buckets: BucketMemory;
  readonly logs: readonly UndoLog[];
  readonly ref: number;
}

function entryAt({ buckets, logs, ref }: CommittedBucket, row: number): Uint8Array {
  const words = new Uint32Array(HASH_WORDS);
  buckets.readEntry(ref, row, words, 0);
  for (const log of logs) {
    const before = log.entryOf(ref, row);
    if (before !== undefined) return new Uint8Array(before.buffer);
  }
  return new Uint8Array(words.buffer);
}

/** Undefined: keys of the same prefix, but not this one. */
function lookUp(bucket: CommittedBucket, place: Uint8Array, mark: number): Found | undefined {
  const { buckets, ref } = bucket;
  const [page, offset, count] = [buckets.pageOf(ref), buckets.offsetOf(ref), buckets.countOf(ref)];
  const prefixes: Uint8Array[] = [];
  const entries: Uint8Array[] = [];
  let [index, isShared] = [-1, false];
  for (let i = 0; i < count; i++) {
    const row = offset + i * ROW_WORDS;
    const prefix = new Uint8Array(
      Uint32Array.of(swapBytes(page[row] as number), swapBytes(page[row + 1] as number)).buffer,
    );
    prefixes.push(prefix);
    entries.push(entryAt(bucket, i));
    if (!bytesEqual(prefix, place.subarray(0, PREFIX_BYTES))) continue;
    isShared = true;
    if (page[row + MARK] === mark) index = i;
  }
  const levels = levelsOf(entries);
  if (index >= 0) {
    const path = levels.slice(0, -1).map((level, depth) => level[(index >> depth) ^ 1] as Uint8Array);
    const entry = entries[index] as Uint8Array;
    return { place: { kind: 'entry', count, index, path, table: tableHash(prefixes) }, entry };
  }
  if (isShared || count > BUCKET_KEYS_MAX) return undefined;
  const entriesRoot = levels.at(-1)?.[0] as Uint8Array;
  return { place: { kind: 'others', entriesRoot, prefixes }, entry: ZERO_WORD };
}

/** From the entries, padded with zeros, up to their root. */
function levelsOf(entries: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  const width = 1 << levelsOver(entries.length);
  let level: readonly Uint8Array[] = Array.from({ length: width }, (_, i) => entries[i] ?? ZERO_WORD);
  const levels = [level];
  while (level.length > 1) {
    const below = level;
    level = Array.from({ length: below.length / 2 }, (_, i) =>
      hashPair(below[2 * i] as Uint8Array, below[2 * i + 1] as Uint8Array),
    );
    levels.push(level);
  }
  return levels;
}
