/** Keys of a key tree between two bounds, in either direction. */
import { type NodeStore, nodeAt } from './key-tree.ts';
import { childPlace, placeIn, ROOT } from './tree-node.ts';

export interface Scan {
  /** The least key; undefined: from the first. */
  readonly from?: string | undefined;
  /** All keys are below it; undefined: to the last. */
  readonly to?: string | undefined;
  /** Keys at most. */
  readonly limit: number;
  /** Begins with the greatest. */
  readonly reverse: boolean;
}

export function scanKeys(store: Nodes, scan: Scan): readonly string[] {
  const found: string[] = [];
  collect(store, ROOT, scan, found);
  return found;
}

type Nodes = Pick<NodeStore, 'read'>;

/** Depth of recursion: that of the tree. */
function collect(store: Nodes, number: number, scan: Scan, found: string[]): void {
  const { level, keys, children } = nodeAt(store, number);
  const { from, to, limit, reverse } = scan;
  const isLeaf = level === 0;
  const place = isLeaf ? placeIn : childPlace;
  const first = from === undefined ? 0 : place(keys, from);
  const behind =
    to === undefined ? keys.length : Math.min(keys.length, isLeaf ? placeIn(keys, to) : childPlace(keys, to) + 1);
  for (let i = first; i < behind && found.length < limit; i++) {
    const at = reverse ? behind - 1 - (i - first) : i;
    if (isLeaf) found.push(keys[at] as string);
    else collect(store, children[at] as number, scan, found);
  }
}
