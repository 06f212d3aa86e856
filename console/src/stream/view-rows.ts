/**
 * Events of blocks and views, by view, the most recent VIEWS_MAX.
 *
 * Times come from events until the block is committed here, then from the node's own, which are exact. Views between two consecutive final blocks
 * were nullified, whether this page received that event or not.
 */
import type { BlockView, EventData, NodeEvent, StageTimes } from '@slipstream/schema';
import { VIEWS_MAX } from './limits.ts';
import type { ViewRow } from './snapshot.ts';

interface ViewRows {
  /** False: not about a view. */
  event(event: NodeEvent, atMs: number): boolean;
  blocks(blocks: readonly BlockView[]): void;
  take(): readonly ViewRow[];
  clear(): void;
}

export function createViewRows(): ViewRows {
  const rows = new Map<number, ViewRow>();
  const changed = new Set<number>();
  /** The view of each final block, by height. */
  const finalViews = new Map<number, number>();

  function change(view: number, fields: Partial<ViewRow>, times: StageTimes = {}): void {
    const before = rows.get(view) ?? emptyRow(view);
    rows.set(view, { ...before, ...fields, times: { ...before.times, ...times } });
    changed.add(view);
    while (rows.size > VIEWS_MAX) forget(Math.min(...rows.keys()));
  }

  function final(height: number, view: number): void {
    finalViews.set(height, view);
    giveUpBetween(finalViews.get(height - 1), view);
    giveUpBetween(view, finalViews.get(height + 1));
  }

  function giveUpBetween(from: number | undefined, to: number | undefined): void {
    if (from === undefined || to === undefined) return;
    for (let view = Math.max(from + 1, to - VIEWS_MAX); view < to; view++) {
      if (!rows.get(view)?.nullified) change(view, { nullified: { reason: null, atMs: null } });
    }
  }

  function forget(view: number): void {
    const height = rows.get(view)?.height;
    if (typeof height === 'number' && finalViews.get(height) === view) finalViews.delete(height);
    rows.delete(view);
    changed.delete(view);
  }

  function event({ type, data }: NodeEvent, atMs: number): boolean {
    switch (type) {
      case 'block.proposed':
        change(data.view, { ...named(data), leader: data.leader, kind: data.kind }, { proposedMs: atMs });
        return true;
      case 'block.executed':
        change(data.view, { ...named(data), transactions: data.transactions }, { executedMs: atMs });
        return true;
      case 'block.notarized':
        change(data.view, { ...named(data), notarizeSigners: data.signers }, { notarizedMs: atMs });
        return true;
      case 'block.certified':
        change(data.view, { ...named(data), certifySigners: data.signers }, { certifiedMs: atMs });
        return true;
      case 'block.final':
        change(data.view, { ...named(data), leader: data.proposer }, { finalizedMs: atMs });
        final(data.height, data.view);
        return true;
      case 'block.committed':
        committed(data, atMs);
        return true;
      case 'view.nullified':
        change(data.view, { leader: data.leader, nullified: { reason: data.reason, atMs } });
        return true;
      default:
        return false;
    }
  }

  function committed(data: EventData<'block.committed'>, atMs: number): void {
    const { proposer: leader, transactions, rows, shadowedMs = null } = data;
    const times = { committedMs: atMs, ...data.times };
    change(data.view, { ...named(data), leader, transactions, rows, shadowedMs }, times);
    final(data.height, data.view);
  }

  function blocks(blocks: readonly BlockView[]): void {
    for (const { block, transactionCount, times } of blocks) {
      const { view, height, id: blockId, proposer: leader } = block;
      change(view, { height, blockId, leader, transactions: transactionCount }, times ?? {});
      final(height, view);
    }
  }

  function take(): readonly ViewRow[] {
    const taken = [...changed].flatMap((view) => rows.get(view) ?? []);
    changed.clear();
    return taken;
  }

  function clear(): void {
    rows.clear();
    changed.clear();
    finalViews.clear();
  }

  return { event, blocks, take, clear };
}

function named({ height, blockId }: { readonly height: number; readonly blockId: string }) {
  return { height, blockId };
}

function emptyRow(view: number): ViewRow {
  return {
    view,
    leader: null,
    height: null,
    blockId: null,
    kind: null,
    times: {},
    transactions: null,
    rows: null,
    notarizeSigners: null,
    certifySigners: null,
    shadowedMs: null,
    nullified: null,
  };
}
