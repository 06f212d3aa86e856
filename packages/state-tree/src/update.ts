/**
 * Takes sorted changes into the tree: down to the buckets, new buckets, hashes from the bottom up. A subtree is a bucket if and only if it
 * holds at most eight keys (R4): a bucket that grows is split, nodes that shrink are joined.
 */
import { createBucketHasher } from './bucket-hashes.ts';
import type { BucketMemory } from './bucket-memory.ts';
import { createDescent, firstRight, type Level } from './descent.ts';
import { BUCKET_KEYS_MAX, DEPTH_MAX } from './forms.ts';
import { createIntList, push } from './int-list.ts';
import { createMergedRows } from './merge-rows.ts';
import type { NodeMemory } from './node-memory.ts';
import type { PairBuffer } from './pair-buffer.ts';
import { arePlain, ENTRY, ROW_WORDS, type SortedRows } from './rows.ts';
import type { UndoLog } from './undo-log.ts';

interface Updater {
  /** Changes [from, to), in one go. */
  take(changes: SortedRows, from: number, to: number, log: UndoLog): void;
}

export function createUpdater(buffer: PairBuffer, nodes: NodeMemory, buckets: BucketMemory): Updater {
  const descent = createDescent(nodes);
  const merged = createMergedRows(buckets);
  const ends = createIntList();
  const fresh = { refs: createIntList(), slots: createIntList() };
  const { hashBuckets } = createBucketHasher(buffer, nodes, buckets);

  function putBucket(slot: number, rows: Uint32Array, from: number, to: number, log: UndoLog): void {
    if (from === to) {
      nodes.setRef(slot, 0);
      nodes.clearHash(slot);
      return;
    }
    const ref = buckets.allocate(rows, from * ROW_WORDS, to - from);
    nodes.setRef(slot, ref);
    push(log.newBuckets, ref);
    push(fresh.refs, ref);
    push(fresh.slots, slot);
  }

  /** Rows [from, to) below a slot. */
  function build(slot: number, rows: Uint32Array, from: number, to: number, depth: number, log: UndoLog): void {
    if (to - from <= BUCKET_KEYS_MAX || depth === DEPTH_MAX) {
      putBucket(slot, rows, from, to, log);
      return;
    }
    const node = nodes.allocate();
    push(log.newNodes, node);
    nodes.setRef(slot, node);
    const level = descent.touched[depth] as Level;
    push(level.nodes, node);
    push(level.slots, slot);
    const middle = firstRight(rows, from, to, depth);
    build(2 * node, rows, from, middle, depth + 1, log);
    build(2 * node + 1, rows, middle, to, depth + 1, log);
  }

  function replaceBuckets(changes: SortedRows, log: UndoLog): void {
    const { slots, from, to, depths } = descent.ends;
    ends.length = 0;
    for (let i = 0; i < slots.length; i++) push(ends, nodes.refOf(slots.values[i] as number));
    buckets.load(ends);
    for (let i = 0; i < slots.length; i++) {
      const slot = slots.values[i] as number;
      const [first, end, depth] = [from.values[i] as number, to.values[i] as number, depths.values[i] as number];
      const old = ends.values[i] as number;
      if (end - first === 1 && old !== 0 && replaceEntry(buckets, old, changes, first, log)) {
        push(fresh.refs, old);
        push(fresh.slots, slot);
        continue;
      }
      if (old === 0 && arePlain(changes, first, end)) {
        build(slot, changes.rows, first, end, depth, log);
        continue;
      }
      merged.mergeChanges(old, changes, first, end);
      if (old !== 0) push(log.oldBuckets, old);
      build(slot, merged.rows, 0, merged.count, depth, log);
    }
  }

  const keysOf = (ref: number) => (ref === 0 ? 0 : ref > 0 ? BUCKET_KEYS_MAX + 1 : buckets.countOf(ref));

  /** Joins the nodes of a level that hold too few keys, and leaves the others in its list. */
  function joinSmall(level: Level, log: UndoLog): void {
    let kept = 0;
    for (let i = 0; i < level.nodes.length; i++) {
      const [node, slot] = [level.nodes.values[i] as number, level.slots.values[i] as number];
      const [left, right] = [nodes.refOf(2 * node), nodes.refOf(2 * node + 1)];
      if (keysOf(left) + keysOf(right) > BUCKET_KEYS_MAX) {
        level.nodes.values[kept] = node;
        level.slots.values[kept++] = slot;
        continue;
      }
      merged.join(left, right);
      if (left !== 0) push(log.oldBuckets, left);
      if (right !== 0) push(log.oldBuckets, right);
      push(log.oldNodes, node);
      putBucket(slot, merged.rows, 0, merged.count, log);
    }
    level.nodes.length = level.slots.length = kept;
  }

  function hashLevel({ nodes: list, slots }: Level, log: UndoLog): void {
    buffer.reserve(list.length);
    nodes.readPairs(list, buffer.input);
    buffer.hash(list.length);
    log.save(slots);
    nodes.writeHashes(slots, buffer.output);
  }

  return {
    take(changes, from, to, log) {
      fresh.refs.length = fresh.slots.length = 0;
      descent.run(changes.rows, from, to);
      log.save(descent.ends.slots);
      replaceBuckets(changes, log);
      hashBuckets(fresh, 0);
      // Only a delete makes a subtree smaller.
      const shrinks = changes.deletes.subarray(from, to).includes(1);
      for (let depth = DEPTH_MAX - 1; depth >= 0; depth--) {
        const level = descent.touched[depth] as Level;
        if (level.nodes.length === 0) continue;
        const hashed = fresh.refs.length;
        if (shrinks) {
          log.save(level.slots);
          joinSmall(level, log);
          hashBuckets(fresh, hashed);
        }
        hashLevel(level, log);
      }
    },
  };
}

/** False: the change is no new value of a key that the bucket has, or other keys share its prefix. */
function replaceEntry(
  buckets: BucketMemory,
  bucket: number,
  { rows, deletes }: SortedRows,
  change: number,
  log: UndoLog,
): boolean {
  if (deletes[change] !== 0) return false;
  const row = buckets.rowOf(bucket, rows, change * ROW_WORDS);
  if (row === undefined) return false;
  log.saveEntry(bucket, row);
  buckets.writeEntry(bucket, row, rows, change * ROW_WORDS + ENTRY);
  return true;
}
