/**
 * Block follower: reads the outcomes of every block that one node commits, from a height on.
 *
 *   block.committed (stream) or a status request --> heights in order --> outcomes of each --> onOutcome
 *
 * A transaction counts as final at the time of the node's event, not of the request that follows. When the node is lost, the
 * follower goes on with another one at the next height.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStream } from '@slipstream/client';
import type { NodeHandle } from '../sending/node-handle.ts';

type OnOutcome = (id: string, outcome: 'final' | 'failed', atMs: number, height: number) => void;

export interface BlockFollower {
  /** The newest height that was read. */
  readonly height: () => number;
  /** Resolves when all blocks up to this height are reported, or the follower is closed. */
  reach(height: number): Promise<void>;
  close(): Promise<void>;
}

interface FollowerOptions {
  /** Followed in this order: the first that runs. */
  readonly nodes: readonly NodeHandle[];
  /** Reading starts above this height. */
  readonly fromHeight: number;
  readonly onOutcome: OnOutcome;
  readonly onBlock?: (block: { readonly height: number; readonly transactions: number }) => void;
}

/** Time without an event after which the height is requested. */
const ASK_MS = 1_000;
const STEP_MS = 20;
const PAUSE_AFTER_FAILURE_MS = 200;
const ID_DIGITS = 64;

export function followBlocks(options: FollowerOptions): BlockFollower {
  const follower = new StreamFollower(options);
  const following = follower.follow();
  return {
    height: () => follower.height,
    reach: (height) => follower.reach(height),
    close: async () => {
      follower.close();
      await following;
    },
  };
}

class StreamFollower {
  readonly #options: FollowerOptions;
  /** Time of the node's event per height; absent for heights found by a status request. */
  readonly #reportedMs = new Map<number, number>();
  #height: number;
  #knownHeight: number;
  #node: NodeHandle | undefined;
  #stream: EventStream | undefined;
  #lastNewsMs = performance.now();
  #isClosed = false;

  constructor(options: FollowerOptions) {
    const { nodes, fromHeight } = options;
    this.#options = options;
    this.#height = fromHeight;
    this.#knownHeight = fromHeight;
    this.#open(nodes.find(({ running }) => running) ?? nodes[0]);
  }

  get height(): number {
    return this.#height;
  }

  async follow(): Promise<void> {
    while (!this.#isClosed) {
      if (this.#height < this.#knownHeight) await this.#readNext();
      else if (performance.now() - this.#lastNewsMs > ASK_MS) await this.#requestHeight();
      else await sleep(STEP_MS);
    }
  }

  async reach(height: number): Promise<void> {
    this.#knownHeight = Math.max(this.#knownHeight, height);
    while (!this.#isClosed && this.#height < height) await sleep(STEP_MS);
  }

  close(): void {
    this.#isClosed = true;
    this.#stream?.close();
  }

  #open(node: NodeHandle | undefined): void {
    this.#node = node;
    this.#stream = node?.client.events({
      topics: ['blocks'],
      onEvent: ({ event }) => {
        if (event.type === 'block.committed') this.#onCommitted(event.data.height);
      },
    });
  }

  #onCommitted(height: number): void {
    this.#lastNewsMs = performance.now();
    if (height <= this.#height) return;
    this.#reportedMs.set(height, this.#lastNewsMs);
    this.#knownHeight = Math.max(this.#knownHeight, height);
  }

  async #requestHeight(): Promise<void> {
    this.#lastNewsMs = performance.now();
    const status = await this.#node?.client.status().catch(() => undefined);
    if (status === undefined) return await this.#pauseAndChange();
    this.#knownHeight = Math.max(this.#knownHeight, status.height);
  }

  async #readNext(): Promise<void> {
    const height = this.#height + 1;
    const outcomes = await this.#node?.client.blockOutcomes(height).catch(() => undefined);
    if (outcomes === undefined) return await this.#pauseAndChange();
    const atMs = this.#reportedMs.get(height) ?? performance.now();
    this.#reportedMs.delete(height);
    this.#height = height;
    const { onOutcome, onBlock } = this.#options;
    const final = idsOf(outcomes.success);
    const failed = idsOf(outcomes.failed);
    for (const id of final) onOutcome(id, 'final', atMs, height);
    for (const id of failed) onOutcome(id, 'failed', atMs, height);
    onBlock?.({ height, transactions: final.length + failed.length });
  }

  async #pauseAndChange(): Promise<void> {
    await sleep(PAUSE_AFTER_FAILURE_MS);
    const others = this.#options.nodes.filter((other) => other.running && other !== this.#node);
    if (others.length === 0) return;
    this.#stream?.close();
    this.#open(others[0]);
  }
}

/** `ids`: 0x and the ids, concatenated. */
function idsOf(ids: string): readonly string[] {
  return Array.from({ length: (ids.length - 2) / ID_DIGITS }, (_, index) => {
    const at = 2 + index * ID_DIGITS;
    return `0x${ids.slice(at, at + ID_DIGITS)}`;
  });
}
