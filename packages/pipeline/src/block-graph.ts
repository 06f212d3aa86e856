/** Blocks above the committed tip, as a tree. Rivals are siblings, or descendants of siblings. */
import type { BlockId, Hex } from '@slipstream/types';
import type { BlockEntry } from './block-entry.ts';

/** A branch's priority for the store; compared first to last. */
export interface Claim {
  readonly ordered: boolean;
  /** Highest view of the branch's notarized blocks, then of all. */
  readonly notarizedView: number;
  readonly view: number;
}

export interface BlockGraph {
  readonly size: number;
  get(id: Hex<BlockId>): BlockEntry | undefined;
  add(entry: BlockEntry): void;
  remove(entry: BlockEntry): void;
  all(): IterableIterator<BlockEntry>;
  parentOf(entry: BlockEntry): BlockEntry | undefined;
  childrenOf(id: Hex<BlockId>): readonly BlockEntry[];
  subtree(root: BlockEntry): readonly BlockEntry[];
  lineage(entry: BlockEntry): readonly BlockEntry[];
  claimOf(root: BlockEntry): Claim;
}

export function createBlockGraph(): BlockGraph {
  const entries = new Map<Hex<BlockId>, BlockEntry>();
  /** By parent, which may be unknown. */
  const children = new Map<Hex<BlockId>, Set<BlockEntry>>();

  function add(entry: BlockEntry): void {
    entries.set(entry.id, entry);
    const siblings = children.get(entry.parent) ?? new Set();
    children.set(entry.parent, siblings.add(entry));
  }

  function remove(entry: BlockEntry): void {
    entries.delete(entry.id);
    const siblings = children.get(entry.parent);
    siblings?.delete(entry);
    if (siblings?.size === 0) children.delete(entry.parent);
  }

  function subtree(root: BlockEntry): readonly BlockEntry[] {
    const found = [root];
    for (let i = 0; i < found.length; i++) found.push(...(children.get((found[i] as BlockEntry).id) ?? []));
    return found;
  }

  function lineage(entry: BlockEntry): readonly BlockEntry[] {
    const found: BlockEntry[] = [];
    for (let at: BlockEntry | undefined = entry; at !== undefined; at = entries.get(at.parent)) found.push(at);
    return found;
  }

  function claimOf(root: BlockEntry): Claim {
    let ordered = false;
    let notarizedView = -1;
    let view = -1;
    for (const entry of subtree(root)) {
      ordered ||= entry.done.has('order');
      view = Math.max(view, entry.block.view);
      if (entry.notarized) notarizedView = Math.max(notarizedView, entry.block.view);
    }
    return { ordered, notarizedView, view };
  }

  return {
    get size() {
      return entries.size;
    },
    get: (id) => entries.get(id),
    add,
    remove,
    all: () => entries.values(),
    parentOf: (entry) => entries.get(entry.parent),
    childrenOf: (id) => [...(children.get(id) ?? [])],
    subtree,
    lineage,
    claimOf,
  };
}

/** Whether `a` is the stronger claim; false on a tie. */
export function outweighs(a: Claim, b: Claim): boolean {
  if (a.ordered !== b.ordered) return a.ordered;
  if (a.notarizedView !== b.notarizedView) return a.notarizedView > b.notarizedView;
  return a.view > b.view;
}
