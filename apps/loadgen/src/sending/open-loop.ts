/**
 * The open loop: transaction k is due at start + k / rate, whatever happens to the earlier ones.
 *
 *   every TICK_MS: due transactions --> batches --> a random running node each --> outcomes to the tracker
 *
 * Nothing is dropped and nothing waits for an answer. When every node has BATCHES_UNDER_WAY_MAX unanswered batches, due
 * transactions are held here while their latency runs. An unanswered submission goes to another node, since the first may
 * be dead.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SentTransactions } from '../fate/sent-transactions.ts';
import type { SignedTransfer } from '../signing/signed-batch.ts';
import type { NodeHandle } from './node-handle.ts';
import type { SendOutcome, Submit } from './submit.ts';

interface LoopComponents {
  readonly nodes: readonly NodeHandle[];
  readonly submit: Submit;
  readonly sent: SentTransactions;
  /** The next transactions in order, at most `count`; undefined ends the loop. */
  take(count: number): readonly SignedTransfer[] | undefined;
  /** Uniform in [0, 1); picks the node. */
  unit(): number;
}

interface LoopOptions {
  readonly transactionsPerSecond: number;
  readonly signal: AbortSignal;
}

export interface OpenLoop {
  /** When transaction 0 is due, on the clock of performance.now(). */
  readonly startMs: number;
  /** Due and not sent, because every node has its maximum of unanswered batches. */
  readonly held: () => number;
  /** The longest delay of the loop itself: a stalled sender measures itself. */
  readonly lateMsMax: () => number;
  /** Resolves when all is sent and answered, or after the signal. */
  readonly done: Promise<void>;
}

/** One batch per tick: 40 requests per second at any rate. The wait for the tick counts as latency. */
const TICK_MS = 25;
const BATCH_TRANSACTIONS_MAX = 500;
/** Per node. */
const BATCHES_UNDER_WAY_MAX = 8;
const SENDINGS_MAX = 4;

export function startOpenLoop(components: LoopComponents, options: LoopOptions): OpenLoop {
  const sender = new OpenLoopSender(components, options);
  return {
    startMs: sender.startMs,
    held: () => sender.held,
    lateMsMax: () => sender.lateMsMax,
    done: sender.run(),
  };
}

class OpenLoopSender {
  readonly startMs = performance.now();
  readonly #components: LoopComponents;
  readonly #options: LoopOptions;
  readonly #batchesUnderWay = new Map<NodeHandle, number>();
  readonly #sendings = new Set<Promise<void>>();
  #taken = 0;
  #held = 0;
  #lateMsMax = 0;

  constructor(components: LoopComponents, options: LoopOptions) {
    this.#components = components;
    this.#options = options;
  }

  get held(): number {
    return this.#held;
  }

  get lateMsMax(): number {
    return this.#lateMsMax;
  }

  async run(): Promise<void> {
    for (let tick = 1; !this.#options.signal.aborted; tick++) {
      const dueMs = this.startMs + tick * TICK_MS;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      this.#lateMsMax = Math.max(this.#lateMsMax, performance.now() - dueMs - TICK_MS);
      if (!this.#sendDue(performance.now())) break;
    }
    this.#held = 0;
    await Promise.all(this.#sendings);
  }

  /** False when the source has ended. */
  #sendDue(nowMs: number): boolean {
    for (let due = this.#dueAt(nowMs); due > 0; due = this.#dueAt(nowMs)) {
      const node = this.#freeNode();
      this.#held = due;
      if (node === undefined) return true;
      const transfers = this.#components.take(Math.min(due, BATCH_TRANSACTIONS_MAX));
      if (transfers === undefined) return false;
      if (transfers.length === 0) return true;
      this.#recordSent(node, transfers);
      const sending = this.#send(node, transfers, 1).finally(() => this.#sendings.delete(sending));
      this.#sendings.add(sending);
    }
    this.#held = 0;
    return true;
  }

  #dueAt(nowMs: number): number {
    return Math.floor(((nowMs - this.startMs) * this.#options.transactionsPerSecond) / 1_000) + 1 - this.#taken;
  }

  #recordSent({ name: node, restarts: nodeStarts }: NodeHandle, transfers: readonly SignedTransfer[]): void {
    for (const { id, bytes, expiryMs } of transfers) {
      const intendedMs = this.startMs + (this.#taken * 1_000) / this.#options.transactionsPerSecond;
      const sent = { id, bytes, node, nodeStarts, intendedMs, expiryMs, accepted: false, attested: false };
      this.#components.sent.sent(sent);
      this.#taken += 1;
    }
  }

  async #send(node: NodeHandle, transfers: readonly SignedTransfer[], sending: number): Promise<void> {
    const { sent } = this.#components;
    const outcomes = await this.#submit(node, transfers);
    const atMs = performance.now();
    const unanswered: SignedTransfer[] = [];
    for (const [index, transfer] of transfers.entries()) {
      const outcome = outcomes[index];
      if (outcome?.type === 'accepted') sent.accepted(transfer.id, atMs);
      else if (outcome?.type === 'refused') sent.refused(transfer.id, outcome.reason, outcome.retryAfterMs);
      else unanswered.push(transfer);
    }
    if (unanswered.length > 0) await this.#sendElsewhere(node, unanswered, sending + 1);
  }

  async #submit(node: NodeHandle, transfers: readonly SignedTransfer[]): Promise<readonly SendOutcome[]> {
    const underWay = this.#batchesUnderWay;
    underWay.set(node, (underWay.get(node) ?? 0) + 1);
    try {
      return await this.#components.submit(node, transfers);
    } finally {
      underWay.set(node, (underWay.get(node) ?? 1) - 1);
    }
  }

  async #sendElsewhere(from: NodeHandle, transfers: readonly SignedTransfer[], sending: number): Promise<void> {
    const { sent } = this.#components;
    const node = sending < SENDINGS_MAX ? (this.#freeNode(from) ?? this.#freeNode()) : undefined;
    if (node === undefined) {
      for (const { id } of transfers) sent.unanswered(id);
      return;
    }
    for (const { id } of transfers) sent.moved(id, node.name, node.restarts);
    await this.#send(node, transfers, sending);
  }

  #freeNode(except?: NodeHandle): NodeHandle | undefined {
    const { nodes, unit } = this.#components;
    const free = nodes.filter(
      (node) => node.running && node !== except && (this.#batchesUnderWay.get(node) ?? 0) < BATCHES_UNDER_WAY_MAX,
    );
    return free[Math.floor(unit() * free.length)];
  }
}
