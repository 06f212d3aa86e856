/**
 * A set of keys in order: a B+ tree whose nodes are values of the host.
 *
 *   root (number 0) --> nodes of level 1 --> leaves (level 0), which hold the keys
 *
 * A node that is too full is split into halves; one with fewer keys than a quarter of the limit is joined with a neighbour, and split
 * again if both are too much for one. All leaves have the same depth. The root stays at its number, so a reader needs no pointer to it;
 * it also holds the number for the next node. Numbers are not used twice.
 */
import {
  childPlace,
  EMPTY_ROOT,
  firstKey,
  halvesOf,
  joined,
  type NodeLimits,
  placeIn,
  ROOT,
  type TreeNode,
  withBound,
  withKey,
  withoutKey,
} from './tree-node.ts';

export interface NodeStore {
  /** Undefined where there is none. */
  read(number: number): TreeNode | undefined;
  write(number: number, node: TreeNode): void;
  remove(number: number): void;
}

/** A node on the way from the root to a leaf. */
interface Step {
  readonly number: number;
  readonly node: TreeNode;
  /** Of the child that the way goes on to; in a leaf, where the key is or belongs. */
  readonly place: number;
}

export function nodeAt(store: Pick<NodeStore, 'read'>, number: number): TreeNode {
  const node = store.read(number);
  if (node !== undefined) return node;
  if (number === ROOT) return EMPTY_ROOT;
  throw new Error(`node ${number} of a sorted table is missing`);
}

/** The key may not be in the tree. */
export function insertKey(store: NodeStore, { keysMax }: NodeLimits, key: string): void {
  const path = pathTo(store, key);
  const root = stepAt(path, 0).node;
  let next = root.next;
  const leaf = stepAt(path, path.length - 1);
  let grown = withKey(leaf.node, leaf.place, key);
  for (let depth = path.length - 1; ; depth--) {
    const { number } = stepAt(path, depth);
    if (grown.keys.length <= keysMax) {
      if (number === ROOT) store.write(ROOT, { ...grown, next });
      else store.write(number, grown);
      if (number !== ROOT && next !== root.next) store.write(ROOT, { ...root, next });
      return;
    }
    const [left, right] = halvesOf(grown);
    if (number === ROOT) {
      store.write(next, left);
      store.write(next + 1, right);
      const keys = [firstKey(left), firstKey(right)];
      store.write(ROOT, { level: grown.level + 1, next: next + 2, keys, children: [next, next + 1] });
      return;
    }
    store.write(number, left);
    store.write(next, right);
    const above = stepAt(path, depth - 1);
    grown = withKey(above.node, above.place + 1, firstKey(right), next);
    next += 1;
  }
}

/** The key must be in the tree. */
export function removeKey(store: NodeStore, { keysMax, keysMin }: NodeLimits, key: string): void {
  const path = pathTo(store, key);
  const leaf = stepAt(path, path.length - 1);
  if (leaf.node.keys[leaf.place] !== key) throw new Error('a sorted table has an entry whose key is not in its tree');
  let shrunk = withoutKey(leaf.node, leaf.place);
  for (let depth = path.length - 1; depth > 0; depth--) {
    const { number } = stepAt(path, depth);
    if (shrunk.keys.length >= keysMin) {
      store.write(number, shrunk);
      return;
    }
    const { number: aboveNumber, node: above, place } = stepAt(path, depth - 1);
    const rightPlace = place === 0 ? 1 : place;
    const leftNumber = above.children[rightPlace - 1] as number;
    const rightNumber = above.children[rightPlace] as number;
    const left = place === 0 ? shrunk : nodeAt(store, leftNumber);
    const right = place === 0 ? nodeAt(store, rightNumber) : shrunk;
    const both = joined(left, right, above.keys[rightPlace] as string);
    if (both.keys.length > keysMax) {
      const [newLeft, newRight] = halvesOf(both);
      store.write(leftNumber, newLeft);
      store.write(rightNumber, newRight);
      store.write(aboveNumber, withBound(above, rightPlace, firstKey(newRight)));
      return;
    }
    store.write(leftNumber, both);
    store.remove(rightNumber);
    shrunk = withoutKey(above, rightPlace);
  }
  writeRoot(store, shrunk);
}

/** A root with one child gives its place to it; an empty one is deleted, and numbers begin again. */
function writeRoot(store: NodeStore, root: TreeNode): void {
  if (root.keys.length === 0) {
    store.remove(ROOT);
    return;
  }
  const [only] = root.children;
  if (only === undefined || root.children.length > 1) {
    store.write(ROOT, root);
    return;
  }
  const child = nodeAt(store, only);
  store.remove(only);
  store.write(ROOT, { ...child, next: root.next });
}

function pathTo(store: NodeStore, key: string): readonly Step[] {
  const path: Step[] = [];
  for (let number = ROOT; ; ) {
    const node = nodeAt(store, number);
    const place = node.level === 0 ? placeIn(node.keys, key) : childPlace(node.keys, key);
    path.push({ number, node, place });
    if (node.level === 0) return path;
    number = node.children[place] as number;
  }
}

function stepAt(path: readonly Step[], depth: number): Step {
  return path[depth] as Step;
}
