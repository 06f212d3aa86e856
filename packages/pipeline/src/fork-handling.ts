/**
 * Fork handling: one lineage at a time is appended to the store, and a block that lost leaves no trace (P3).
 *
 *   park    undo an appended block in favour of a rival with a stronger claim; it starts again if needed
 *   drop    remove a rival of a final block
 *
 * Both free memory at once. The disk lane reverts store, tree and ledger before the winner's append.
 */
import type { Ledger } from '@slipstream/ledger';
import type { StateStore } from '@slipstream/state';
import type { StateTree } from '@slipstream/state-tree';
import type { BlockId, Hex } from '@slipstream/types';
import { type BlockEntry, resetEntry } from './block-entry.ts';
import { type BlockGraph, outweighs } from './block-graph.ts';
import type { Lane } from './lane.ts';
import type { ReplayWindow } from './replay-window.ts';
import { REVERT_URGENCY } from './scheduler.ts';

interface ForkHandlingComponents {
  readonly graph: BlockGraph;
  readonly window: ReplayWindow;
  readonly disk: Lane;
  readonly state: StateStore;
  readonly tree: StateTree;
  readonly ledger: Ledger;
  readonly running: () => boolean;
  readonly advance: (entry: BlockEntry) => void;
  readonly onReverted: (entry: BlockEntry) => void;
  readonly onFailed: (entry: BlockEntry, error: unknown) => void;
}

export interface ForkHandling {
  /** Whether the block may be appended now. Parks a weaker rival. */
  mayAppend(entry: BlockEntry): boolean;
  appending(entry: BlockEntry): void;
  committed(entry: BlockEntry): void;
  /** Claims may have changed: waiting blocks try again. */
  reconsider(): void;
  park(root: BlockEntry): void;
  /** Restarts the block and its parked ancestors. */
  unpark(entry: BlockEntry): void;
  drop(root: BlockEntry): void;
  /** Whether an earlier append of the block is still being reverted on disk. */
  isReleasing(id: Hex<BlockId>): boolean;
  /** Parks the weakest unordered blocks beyond SPECULATIVE_BLOCKS_MAX. */
  limitSpeculation(): void;
}

/** Executed blocks above the final one, which hold batches and receipts: two proposals per view of the vote buffer's look-ahead. */
const SPECULATIVE_BLOCKS_MAX = 128;

export function createForkHandling(components: ForkHandlingComponents): ForkHandling {
  const { graph, window, disk, state, tree, ledger, running, advance, onReverted, onFailed } = components;
  /** The lineage that is appended or about to be, and not committed; oldest first. */
  const line: Hex<BlockId>[] = [];
  /** Blocks to be appended once mayAppend allows it. */
  const waiting = new Set<BlockEntry>();
  const releasing = new Map<Hex<BlockId>, number>();

  function mayAppend(entry: BlockEntry): boolean {
    const rival = graph.get(line[line.indexOf(entry.parent) + 1] as Hex<BlockId>);
    if (rival === undefined) return true;
    waiting.add(entry);
    if (!outweighs(graph.claimOf(entry), graph.claimOf(rival))) return false;
    park(rival);
    return true;
  }

  function undo(entry: BlockEntry): void {
    const at = line.indexOf(entry.id);
    if (at >= 0) line.length = at;
    waiting.delete(entry);
    window.remove(entry.id);
    resetEntry(entry);
  }

  async function release(blocks: readonly BlockEntry[]): Promise<void> {
    for (const entry of blocks) {
      if (!running()) return;
      if (state.pending().includes(entry.id)) {
        await state.revert(entry.id);
        onReverted(entry);
      } else {
        state.drop(entry.id);
      }
      await tree.drop(entry.id);
      await ledger.forgetBlock(entry.blockId);
    }
  }

  function releaseLater(blocks: readonly BlockEntry[]): void {
    for (const { id } of blocks) releasing.set(id, (releasing.get(id) ?? 0) + 1);
    disk.push(REVERT_URGENCY, async () => {
      try {
        await release(blocks);
      } catch (error) {
        onFailed(blocks[0] as BlockEntry, error);
        return;
      }
      for (const { id } of blocks) {
        const rest = (releasing.get(id) ?? 1) - 1;
        if (rest > 0) releasing.set(id, rest);
        else releasing.delete(id);
      }
      for (const { id } of blocks) {
        const entry = graph.get(id);
        if (entry) advance(entry);
      }
      reconsider();
    });
  }

  function reconsider(): void {
    for (const entry of [...waiting]) advance(entry);
  }

  function park(root: BlockEntry): void {
    const blocks = graph.subtree(root).filter(({ parked }) => !parked);
    for (const entry of blocks) {
      undo(entry);
      entry.parked = true;
    }
    releaseLater(blocks);
  }

  function unpark(entry: BlockEntry): void {
    const parked = graph.lineage(entry).filter((at) => at.parked);
    for (const at of parked) at.parked = false;
    for (const at of parked.reverse()) advance(at);
  }

  function drop(root: BlockEntry): void {
    const blocks = graph.subtree(root);
    for (const entry of blocks) {
      undo(entry);
      graph.remove(entry);
    }
    releaseLater(blocks);
  }

  function limitSpeculation(): void {
    const speculative = [...graph.all()].filter((entry) => entry.executed && !entry.done.has('order'));
    if (speculative.length <= SPECULATIVE_BLOCKS_MAX) return;
    const strongest = speculative.reduce((a, b) => (outweighs(graph.claimOf(b), graph.claimOf(a)) ? b : a));
    const tip = graph.subtree(strongest).reduce((a, b) => (b.block.view > a.block.view ? b : a));
    const retained = new Set(graph.lineage(tip));
    const others = speculative.filter((entry) => !retained.has(entry));
    const [first, ...rest] = others;
    if (first) park(rest.reduce((a, b) => (b.block.view < a.block.view ? b : a), first));
  }

  return {
    mayAppend,
    appending(entry) {
      waiting.delete(entry);
      line.push(entry.id);
    },
    committed(entry) {
      if (line[0] === entry.id) line.shift();
    },
    reconsider,
    park,
    unpark,
    drop,
    isReleasing: (id) => releasing.has(id),
    limitSpeculation,
  };
}
