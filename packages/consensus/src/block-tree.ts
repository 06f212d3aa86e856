/** Block tree: bodies from the last delivered block up, by id, because rivals share heights and views. */
import { assert } from '@slipstream/primitives';
import type { Block, BlockId, StateDigest, View } from '@slipstream/types';
import { hexOf } from '@slipstream/types';
import type { PayloadVerdict } from './application.ts';

/** The offence is that of its signer. */
export type BlockFault = Pick<Extract<PayloadVerdict, { type: 'invalid' }>, 'reason' | 'offence'>;

export interface BlockEntry {
  readonly id: BlockId;
  readonly block: Block;
  /** Of its first bytes; the block interval counts from it. */
  readonly arrivedMs: number;
  /** Payload checks and execution have started. */
  active: boolean;
  logged: boolean;
  /** `invalid` also for a block that does not follow its parent. */
  payload: 'unknown' | 'valid' | 'invalid';
  fault: BlockFault | undefined;
  digest: StateDigest | undefined;
  /** By its own certificate or a descendant's. */
  final: boolean;
}

export interface BlockTree {
  add(id: BlockId, block: Block, arrivedMs: number): BlockEntry;
  get(id: BlockId): BlockEntry | undefined;
  /** The last delivered block. */
  readonly root: BlockEntry;
  setRoot(entry: BlockEntry): void;
  /** Blocks above the root up to `id`, ascending; or the first missing body on the way down. */
  pathFromRoot(
    id: BlockId,
  ): { readonly path: readonly BlockEntry[] } | { readonly missing: BlockId } | { readonly fork: BlockEntry };
  remove(id: BlockId): void;
  entries(): Iterable<BlockEntry>;
  /** Drops delivered blocks below a view, and returns the dropped rivals of delivered blocks. */
  prune(below: View): readonly BlockEntry[];
  readonly size: number;
  readonly state: BlockTreeState;
}

/** Plain data. */
export interface BlockTreeState {
  readonly entries: Map<string, BlockEntry>;
  root: BlockEntry;
}

function planted(rootId: BlockId, rootBlock: Block, nowMs: number): BlockTreeState {
  const root: BlockEntry = {
    ...freshEntry(rootId, rootBlock, nowMs),
    active: true,
    logged: true,
    payload: 'valid',
    final: true,
  };
  return { entries: new Map([[hexOf(rootId), root]]), root };
}

function freshEntry(id: BlockId, block: Block, arrivedMs: number): BlockEntry {
  return {
    id,
    block,
    arrivedMs,
    active: false,
    logged: false,
    payload: 'unknown',
    fault: undefined,
    digest: undefined,
    final: false,
  };
}

export function createBlockTree(
  rootId: BlockId,
  rootBlock: Block,
  nowMs: number,
  state: BlockTreeState = planted(rootId, rootBlock, nowMs),
): BlockTree {
  const { entries } = state;

  function add(id: BlockId, block: Block, arrivedMs: number): BlockEntry {
    const key = hexOf(id);
    const existing = entries.get(key);
    if (existing) return existing;
    const entry = freshEntry(id, block, arrivedMs);
    entries.set(key, entry);
    return entry;
  }

  return {
    add,
    get: (id) => entries.get(hexOf(id)),
    get root() {
      return state.root;
    },
    setRoot(entry) {
      assert(hexOf(entry.block.parentId) === hexOf(state.root.id), 'the root moves to a child of the root');
      state.root = entry;
      entry.final = true;
    },
    pathFromRoot(id) {
      const { root } = state;
      const path: BlockEntry[] = [];
      let at = entries.get(hexOf(id));
      if (!at) return { missing: id };
      while (at.block.height > root.block.height) {
        path.push(at);
        const { parentId }: Block = at.block;
        const parent = entries.get(hexOf(parentId));
        if (!parent) return { missing: parentId };
        at = parent;
      }
      return at === root ? { path: path.reverse() } : { fork: at };
    },
    remove(id) {
      entries.delete(hexOf(id));
    },
    entries: () => entries.values(),
    prune(below) {
      const { root } = state;
      const rivals: BlockEntry[] = [];
      for (const [key, entry] of entries) {
        if (entry === root || entry.block.view > root.block.view) continue;
        if (!entry.final) rivals.push(entry);
        if (!entry.final || entry.block.view < below) entries.delete(key);
      }
      return rivals;
    },
    get size() {
      return entries.size;
    },
    state,
  };
}
