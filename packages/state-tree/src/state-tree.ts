/**
 * The state tree: one root over all keys and values of a block's state, and proofs against it (state-proofs.md).
 *
 *   apply --> commit      the tree holds the state of one block at a time, and an undo log of each block above the committed one
 *      \----> drop        for a rival it goes back to the common ancestor first, and forward again when it has to
 *
 * Contents alone decide a root (R1). Calls are carried out one after another, in slices with pauses between them; proofs are made between
 * two slices.
 */
import { assert, type Result } from '@slipstream/primitives';
import { type ChangeColumns, checkedCopy } from './changes.ts';
import { type Contents, createContents, type Pause, SLICE_KEYS } from './contents.ts';
import { StateTreeError } from './errors.ts';
import { WORD_BYTES } from './forms.ts';
import { makePath, type NoProof } from './make-proof.ts';
import type { PathProof } from './path-proof.ts';
import { rebuild } from './rebuild.ts';
import { type SortedRows, sortRows } from './rows.ts';
import type { UndoLog } from './undo-log.ts';

interface StateTreeStats {
  readonly nodes: number;
  /** Of nodes, buckets and undo logs. */
  readonly bytes: number;
  /** Above the committed one. */
  readonly blocks: number;
}

export interface StateTree {
  /** The committed block. */
  readonly tip: string;
  /** After a block that was applied and not dropped. */
  root(block: string): Uint8Array | undefined;
  /**
   * Takes the changes of `block`, a child of `parent`. The columns are copied. Resolves with the root.
   * Throws StateTreeError `bad-changes`, `known-block`, `unknown-block`, `too-many-blocks`.
   */
  apply(parent: string, block: string, changes: ChangeColumns): Promise<Uint8Array>;
  /** Drops all blocks that do not descend from it. Throws StateTreeError `not-next`. */
  commit(block: string): Promise<void>;
  /** With its descendants. Ignores an unknown block. */
  drop(block: string): Promise<void>;
  /** In the committed state. Throws StateTreeError `damaged`. */
  prove(key: Uint8Array): Result<PathProof, NoProof>;
  stats(): StateTreeStats;
}

interface StateTreeOptions {
  /** The committed block, and all entries of its state: no deletes, each key once. Columns are read until the next ones are asked for. */
  readonly block: string;
  readonly entries: Iterable<ChangeColumns>;
  /** Blocks above the committed one. */
  readonly blocksMax?: number;
  /** Keys between two pauses. */
  readonly sliceKeys?: number;
}

interface StateTreeComponents {
  /** 32 random bytes, which stay in this process (rows.ts). */
  readonly secret: Uint8Array;
  /** Lets other work of the thread run. */
  readonly pause: Pause;
}

const BLOCKS_MAX = 4_096;

interface Block {
  readonly id: string;
  readonly parent: string;
  readonly changes: SortedRows;
  readonly root: Uint8Array;
  /** While the tree's state includes the block. */
  log: UndoLog | undefined;
}

export async function openStateTree(
  { secret, pause }: StateTreeComponents,
  { block, entries, blocksMax = BLOCKS_MAX, sliceKeys = SLICE_KEYS }: StateTreeOptions,
): Promise<StateTree> {
  assert(secret.length === WORD_BYTES, 'the secret of a state tree has 32 bytes');
  assert(new Uint8Array(Uint32Array.of(1).buffer)[0] === 1, 'the state tree runs on little-endian machines');
  const contents = createContents(secret, pause, sliceKeys);
  await rebuild(contents, entries, pause);
  return createStateTree(contents, secret, block, blocksMax);
}

function createStateTree(contents: Contents, secret: Uint8Array, first: string, blocksMax: number): StateTree {
  /** Above the committed one; parents before their children. */
  const blocks = new Map<string, Block>();
  /** Blocks that the tree's state includes, oldest first. */
  const stack: Block[] = [];
  let tip = { id: first, root: contents.root() };
  let failure: unknown;
  let last: Promise<unknown> = Promise.resolve();

  /** What fails inside may leave the tree between two states: it answers no more. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(async () => {
      if (failure !== undefined) throw failure;
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof StateTreeError)) failure = error;
        throw error;
      }
    });
    last = result.catch(() => undefined);
    return result;
  }

  function pop(): void {
    const block = stack.pop();
    block?.log?.undo();
    reuseLog(block);
  }

  function reuseLog(block: Block | undefined): void {
    if (block?.log) contents.reuse(block.log);
    if (block) block.log = undefined;
  }

  async function pushBlock(block: Block): Promise<void> {
    const log = contents.newLog();
    stack.push(block);
    block.log = log;
    await contents.take(block.changes, log);
  }

  /** Undefined: the committed state is not among its ancestors. */
  function lineageOf(id: string): readonly Block[] | undefined {
    const lineage: Block[] = [];
    for (let at = id; at !== tip.id; ) {
      const block = blocks.get(at);
      if (block === undefined) return undefined;
      lineage.unshift(block);
      at = block.parent;
    }
    return lineage;
  }

  async function goTo(lineage: readonly Block[]): Promise<void> {
    while (stack.length > lineage.length || stack.at(-1) !== lineage[stack.length - 1]) pop();
    for (const block of lineage.slice(stack.length)) await pushBlock(block);
  }

  async function applyInTurn(parent: string, id: string, columns: ChangeColumns): Promise<Uint8Array> {
    if (blocks.has(id) || tip.id === id) throw new StateTreeError('known-block', `block ${id} is in the state tree`);
    if (blocks.size >= blocksMax)
      throw new StateTreeError('too-many-blocks', `the state tree holds ${blocksMax} blocks that are not committed`);
    const lineage = lineageOf(parent);
    if (lineage === undefined)
      throw new StateTreeError('unknown-block', `block ${parent}, parent of ${id}, is not in the state tree`);
    const changes = sortRows(await contents.hash(columns));
    await goTo(lineage);
    const block = { id, parent, changes, root: new Uint8Array(WORD_BYTES), log: undefined };
    await pushBlock(block);
    block.root.set(contents.root());
    blocks.set(id, block);
    return block.root.slice();
  }

  function forget(isGone: (block: Block) => boolean): void {
    const gone = new Set<string>();
    for (const [id, block] of blocks) {
      if (!isGone(block) && !gone.has(block.parent)) continue;
      gone.add(id);
      blocks.delete(id);
    }
    while (stack.some(({ id }) => gone.has(id))) pop();
  }

  return {
    get tip() {
      return tip.id;
    },
    root: (block) => (block === tip.id ? tip.root : blocks.get(block)?.root)?.slice(),
    async apply(parent, block, changes) {
      const own = checkedCopy(changes);
      return inTurn(() => applyInTurn(parent, block, own));
    },
    commit: (id) =>
      inTurn(async () => {
        const block = blocks.get(id);
        if (block === undefined || block.parent !== tip.id)
          throw new StateTreeError('not-next', `block ${id} is no child of the committed block ${tip.id}`);
        if (stack[0] !== block) await goTo([block]);
        stack.shift();
        block.log?.release();
        reuseLog(block);
        blocks.delete(id);
        const before = tip.id;
        tip = { id, root: block.root };
        forget(({ parent }) => parent === before);
      }),
    drop: (id) => inTurn(async () => forget((block) => block.id === id)),
    prove(key) {
      if (failure !== undefined) throw failure;
      return makePath({ nodes: contents.nodes, buckets: contents.buckets, secret }, logsOf(stack), tip.root, key);
    },
    stats: () => ({
      nodes: contents.nodes.nodes,
      bytes: logsOf(stack).reduce((sum, log) => sum + log.bytes(), contents.nodes.bytes + contents.buckets.bytes),
      blocks: blocks.size,
    }),
  };
}

function logsOf(blocks: readonly Block[]): readonly UndoLog[] {
  return blocks.flatMap(({ log }) => log ?? []);
}
