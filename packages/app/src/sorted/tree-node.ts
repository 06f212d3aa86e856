/** Nodes of a key tree: their limits, their bytes, and what is done to one node. */
import { badDefinition } from '../forms/errors.ts';
import type { Form } from '../forms/form.ts';
import { u8, u32 } from '../forms/integers.ts';
import { list } from '../forms/list.ts';
import { createByteText, createOpaque } from '../forms/opaque.ts';
import { record } from '../forms/record.ts';

export interface TreeNode {
  /** 0: a leaf. */
  readonly level: number;
  /** The number that a new node gets; only in the root, 0 in others. */
  readonly next: number;
  /**
   * Strings of one byte a character, in order. In a leaf those of the entries; above, the least key that belongs below each child. The
   * first of these means nothing and is not compared: all smaller keys belong below the first child.
   */
  readonly keys: readonly string[];
  /** Numbers of nodes, one for each key; none in a leaf. */
  readonly children: readonly number[];
}

export const ROOT = 0;
export const EMPTY_ROOT: TreeNode = { level: 0, next: 1, keys: [], children: [] };

/** Keys in a node at most, where they are short. */
const KEYS_MAX = 32;
const NODE_BYTES_MAX = 4_096;
/** A key's offset, and its child's number. */
const BESIDE_KEY_BYTES = 8;
/** So that a node has at least 15. */
const KEY_BYTES_MAX = 256;

export interface NodeLimits {
  readonly keysMax: number;
  /** Of all nodes but the root. A quarter: a node that was split or joined is far from both limits. */
  readonly keysMin: number;
}

export function nodeLimits(keyBytesMax: number): NodeLimits {
  if (keyBytesMax > KEY_BYTES_MAX)
    throw badDefinition(`a key of a sorted table may have ${keyBytesMax} bytes, the limit is ${KEY_BYTES_MAX}`);
  const keysMax = Math.min(KEYS_MAX, Math.floor(NODE_BYTES_MAX / (keyBytesMax + BESIDE_KEY_BYTES)));
  return { keysMax, keysMin: Math.floor(keysMax / 4) };
}

/** @param fixedBytes of each key, where all have the same size */
export function treeNodeForm(fixedBytes: number | undefined, keyBytesMax: number): Form<TreeNode> {
  const { keysMax } = nodeLimits(keyBytesMax);
  const key: Form<string> =
    fixedBytes === undefined
      ? createByteText(keyBytesMax)
      : createOpaque({ form: 'bytes', bytesMax: fixedBytes }, fixedBytes);
  return record({ level: u8, next: u32, keys: list(key, keysMax), children: list(u32, keysMax) });
}

/** Where the key is in a leaf, or belongs. */
export function placeIn(keys: readonly string[], key: string): number {
  return firstNotBelow(keys, 0, key);
}

/** The child below which a key belongs. */
export function childPlace(keys: readonly string[], key: string): number {
  const place = firstNotBelow(keys, 1, key);
  return keys[place] === key ? place : place - 1;
}

/** The first place from `start` on whose key is not below; keys are in order from there. */
function firstNotBelow(keys: readonly string[], start: number, key: string): number {
  let low = start;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function withKey(
  { level, next, keys, children }: TreeNode,
  place: number,
  key: string,
  child?: number,
): TreeNode {
  return {
    level,
    next,
    keys: [...keys.slice(0, place), key, ...keys.slice(place)],
    children: child === undefined ? children : [...children.slice(0, place), child, ...children.slice(place)],
  };
}

export function withoutKey({ level, next, keys, children }: TreeNode, place: number): TreeNode {
  const others = <T>(items: readonly T[]) => items.filter((_, i) => i !== place);
  return { level, next, keys: others(keys), children: others(children) };
}

export function withBound({ level, next, keys, children }: TreeNode, place: number, key: string): TreeNode {
  return { level, next, keys: keys.map((each, i) => (i === place ? key : each)), children };
}

/** @param bound the least key that belongs below `right` */
export function joined(left: TreeNode, right: TreeNode, bound: string): TreeNode {
  const rightKeys = right.level === 0 ? right.keys : [bound, ...right.keys.slice(1)];
  return {
    level: left.level,
    next: 0,
    keys: [...left.keys, ...rightKeys],
    children: [...left.children, ...right.children],
  };
}

export function halvesOf({ level, keys, children }: TreeNode): readonly [left: TreeNode, right: TreeNode] {
  const middle = keys.length >> 1;
  return [
    { level, next: 0, keys: keys.slice(0, middle), children: children.slice(0, middle) },
    { level, next: 0, keys: keys.slice(middle), children: children.slice(middle) },
  ];
}

/** The least key that belongs below a node that `halvesOf` made. */
export function firstKey({ keys }: TreeNode): string {
  return keys[0] as string;
}
