/**
 * The open loop: transaction k is due at start + k / rate, whatever became of those before it.
 *
 *   every TICK: what is due --> batches --> a random running node each --> outcomes to the book
 *
 * Nothing is dropped and nothing waits for an answer: where every node has BATCHES_UNDER_WAY_MAX unanswered, what is due is held
 * here, its latency running. A submission that was never answered goes to another node, since the first may be dead.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TransactionBook } from '../fate/transaction-book.ts';
import type { SignedTransfer } from '../signing/signed-batch.ts';
import type { NodeHandle } from './node-handle.ts';
import type { SendOutcome, Submit } from './submit.ts';

export interface LoopComponents {
  readonly nodes: readonly NodeHandle[];
  readonly submit: Submit;
  readonly book: TransactionBook;
  /** The next ones, in order, at most so many; undefined ends the loop. */
  take(count: number): readonly SignedTransfer[] | undefined;
  /** Uniform in [0, 1): which node. */
  unit(): number;
}

export interface LoopOptions {
  readonly transactionsPerSecond: number;
  readonly signal: AbortSignal;
}

export interface OpenLoop {
  /** When transaction 0 is due, as performance.now() tells it. */
  readonly startMs: number;
  /** Due, and held because every node has its fill of unanswered batches. */
  readonly held: () => number;
  /** The longest that the loop itself was late: a sender that stalls measures itself. */
  readonly lateMsMax: () => number;
  /** All is sent and answered, or the signal has ended it. */
  readonly done: Promise<void>;
}

/** A batch a tick: 40 requests a second, whatever the rate. The wait for its tick is part of a transaction's latency. */
const TICK_MS = 25;
const BATCH_TRANSACTIONS_MAX = 500;
/** Of one node. */
const BATCHES_UNDER_WAY_MAX = 8;
const SENDINGS_MAX = 4;

export function startOpenLoop(components: LoopComponents, { transactionsPerSecond, signal }: LoopOptions): OpenLoop {
  const { nodes, book, take } = components;
  const underWay = new Map<NodeHandle, number>();
  const sendings = new Set<Promise<void>>();
  const startMs = performance.now();
  let taken = 0;
  let heldNow = 0;
  let lateMsMax = 0;

  function freeNode(except?: NodeHandle): NodeHandle | undefined {
    const free = nodes.filter(
      (node) => node.running && node !== except && (underWay.get(node) ?? 0) < BATCHES_UNDER_WAY_MAX,
    );
    return free[Math.floor(components.unit() * free.length)];
  }

  async function send(node: NodeHandle, transfers: readonly SignedTransfer[], sending: number): Promise<void> {
    underWay.set(node, (underWay.get(node) ?? 0) + 1);
    let outcomes: readonly SendOutcome[];
    try {
      outcomes = await components.submit(node, transfers);
    } finally {
      underWay.set(node, (underWay.get(node) ?? 1) - 1);
    }
    const atMs = performance.now();
    const unanswered: SignedTransfer[] = [];
    for (const [index, transfer] of transfers.entries()) {
      const outcome = outcomes[index];
      if (outcome?.type === 'accepted') book.accepted(transfer.id, atMs);
      else if (outcome?.type === 'refused') book.refused(transfer.id, outcome.reason, outcome.retryAfterMs);
      else unanswered.push(transfer);
    }
    if (unanswered.length > 0) await sendElsewhere(node, unanswered, sending + 1);
  }

  async function sendElsewhere(from: NodeHandle, transfers: readonly SignedTransfer[], sending: number): Promise<void> {
    const node = sending < SENDINGS_MAX ? (freeNode(from) ?? freeNode()) : undefined;
    if (node === undefined) {
      for (const { id } of transfers) book.unanswered(id);
      return;
    }
    for (const { id } of transfers) book.moved(id, node.name, node.restarts);
    await send(node, transfers, sending);
  }

  function sendDue(nowMs: number): boolean {
    const due = () => Math.floor(((nowMs - startMs) * transactionsPerSecond) / 1_000) + 1 - taken;
    while (due() > 0) {
      const node = freeNode();
      heldNow = due();
      if (node === undefined) return true;
      const transfers = take(Math.min(due(), BATCH_TRANSACTIONS_MAX));
      if (transfers === undefined) return false;
      if (transfers.length === 0) return true;
      const nodeStarts = node.restarts;
      for (const { id, bytes, expiryMs } of transfers) {
        const intendedMs = startMs + (taken * 1_000) / transactionsPerSecond;
        book.sent({ id, bytes, node: node.name, nodeStarts, intendedMs, expiryMs, accepted: false, attested: false });
        taken += 1;
      }
      const sending = send(node, transfers, 1).finally(() => sendings.delete(sending));
      sendings.add(sending);
    }
    heldNow = 0;
    return true;
  }

  async function run(): Promise<void> {
    for (let tick = 1; !signal.aborted; tick++) {
      const dueMs = startMs + tick * TICK_MS;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      lateMsMax = Math.max(lateMsMax, performance.now() - dueMs - TICK_MS);
      if (!sendDue(performance.now())) break;
    }
    heldNow = 0;
    await Promise.all(sendings);
  }

  return { startMs, held: () => heldNow, lateMsMax: () => Math.max(0, lateMsMax), done: run() };
}
