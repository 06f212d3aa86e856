/**
 * What the chain says: every block that one node commits from a height on, with the fate of each of its transactions.
 *
 *   block.committed (stream) or a look at the height --> heights in order --> outcomes of each --> told
 *
 * A transaction is final when that node has committed it and says so: the time of its event, not of the look at the block that
 * follows. When the node goes away, another is followed from the next height on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStream } from '@slipstream/client';
import type { NodeHandle } from '../sending/node-handle.ts';

export type TellOutcome = (id: string, outcome: 'final' | 'failed', atMs: number, height: number) => void;

export interface BlockFollower {
  /** The last height that was read. */
  readonly height: () => number;
  /** Resolves when all up to this height is told, or the follower is closed. */
  reach(height: number): Promise<void>;
  close(): Promise<void>;
}

export interface FollowerOptions {
  /** The first is followed while it runs. */
  readonly nodes: readonly NodeHandle[];
  /** The first height that is read is the next one. */
  readonly fromHeight: number;
  readonly tell: TellOutcome;
  /** A block that was read, for series. */
  readonly onBlock?: (block: { readonly height: number; readonly transactions: number }) => void;
}

/** Silence of the stream for this long: the height is asked for. */
const ASK_MS = 1_000;
const STEP_MS = 20;
const PAUSE_AFTER_FAILURE_MS = 200;
const ID_DIGITS = 64;

export function followBlocks({ nodes, fromHeight, tell, onBlock }: FollowerOptions): BlockFollower {
  /** When the node said that the height is committed; absent for one that was found by asking. */
  const heardMs = new Map<number, number>();
  let read = fromHeight;
  let known = fromHeight;
  let node = nodes.find(({ running }) => running) ?? nodes[0];
  let stream = node && open(node);
  let lastNewsMs = performance.now();
  let closed = false;
  const following = follow();

  function open(of: NodeHandle): EventStream {
    return of.client.events({
      topics: ['blocks'],
      onEvent: ({ event }) => {
        if (event.type !== 'block.committed') return;
        const { height } = event.data;
        lastNewsMs = performance.now();
        if (height <= read) return;
        heardMs.set(height, lastNewsMs);
        known = Math.max(known, height);
      },
    });
  }

  function changeNode(): void {
    const others = nodes.filter((other) => other.running && other !== node);
    if (others.length === 0) return;
    stream?.close();
    node = others[0];
    stream = node && open(node);
  }

  async function follow(): Promise<void> {
    while (!closed) {
      if (read < known) await readNext();
      else if (performance.now() - lastNewsMs > ASK_MS) await ask();
      else await sleep(STEP_MS);
    }
  }

  async function ask(): Promise<void> {
    lastNewsMs = performance.now();
    const status = await node?.client.status().catch(() => undefined);
    if (status === undefined) return await pauseAndChange();
    known = Math.max(known, status.height);
  }

  async function readNext(): Promise<void> {
    const height = read + 1;
    const outcomes = await node?.client.blockOutcomes(height).catch(() => undefined);
    if (outcomes === undefined) return await pauseAndChange();
    const atMs = heardMs.get(height) ?? performance.now();
    heardMs.delete(height);
    read = height;
    const transactions = tellAll(outcomes.success, 'final') + tellAll(outcomes.failed, 'failed');
    onBlock?.({ height, transactions });

    function tellAll(ids: string, outcome: 'final' | 'failed'): number {
      for (let at = 2; at < ids.length; at += ID_DIGITS)
        tell(`0x${ids.slice(at, at + ID_DIGITS)}`, outcome, atMs, height);
      return (ids.length - 2) / ID_DIGITS;
    }
  }

  async function pauseAndChange(): Promise<void> {
    await sleep(PAUSE_AFTER_FAILURE_MS);
    changeNode();
  }

  return {
    height: () => read,
    async reach(height) {
      known = Math.max(known, height);
      while (!closed && read < height) await sleep(STEP_MS);
    },
    async close() {
      closed = true;
      stream?.close();
      await following;
    },
  };
}
