/**
 * A steady load: transfers among many accounts, in batches to random running nodes, each followed to its end.
 *
 *   every TICK: what is due --> sign --> POST /v1/transactions/batch of one node
 *   ends: from the nodes' streams; what stays silent is asked for, at any node that runs
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '@slipstream/client';
import type { GenesisHash } from '@slipstream/types';
import type { Cluster, ClusterNode } from './cluster.ts';
import { createTransactionBook, type Sent, type TransactionBook } from './transaction-book.ts';
import { type FundedAccount, fund, makeAccounts, type SignedTransfer, signTransfer } from './transfers.ts';

export interface LoadOptions {
  readonly transactionsPerSecond: number;
  readonly faucetSecret: Uint8Array;
}

export interface Load {
  readonly book: TransactionBook;
  /** Why submissions were refused, and how often. */
  readonly refusals: ReadonlyMap<string, number>;
  /** Of a node's event stream. */
  onStatus(id: string, status: string): void;
  /** Sends no more, and follows what is on its way: until all has ended, or until no node can include it any more. */
  finish(): Promise<void>;
}

const ACCOUNTS = 200;
const TICK_MS = 50;
/** Short of what a chain allows, so that a run's end is known soon. */
const LIFE_MS = 12_000;
/** A block with it may still be on its way to being certified; a node says "expired" some seconds later. */
const EXPIRY_MARGIN_MS = 6_000;
/** A node that does not answer gets no more than this at once. */
const BATCHES_UNDER_WAY_MAX = 32;
const BATCH_TRANSACTIONS_MAX = 500;
/** Silent for this long: asked for. */
const SILENT_MS = 5_000;
const ASKED_AT_ONCE = 50;
const SWEEP_MS = 1_000;

export async function startLoad(cluster: Cluster, options: LoadOptions): Promise<Load> {
  const first = anyRunning(cluster);
  if (first === undefined) throw new Error('no node runs: there is nobody to send to');
  const genesisHash = await first.client.genesisHash();
  const accounts = makeAccounts(ACCOUNTS);
  await fund(first.client, genesisHash, options.faucetSecret, accounts);

  const book = createTransactionBook();
  const refusals = new Map<string, number>();
  const abort = new AbortController();
  const sending = sendSteadily(options.transactionsPerSecond, abort.signal, (count) =>
    sendBatch(cluster, makeTransfers(genesisHash, accounts, count), book, refusals),
  );
  const sweepEnd = new AbortController();
  const sweeping = sweepSteadily(cluster, book, sweepEnd.signal);

  return {
    book,
    refusals,
    onStatus(id, status) {
      if (status === 'final' || status === 'failed' || status === 'expired') book.ended(id, status, performance.now());
    },
    async finish() {
      abort.abort();
      await sending;
      const deadline = performance.now() + LIFE_MS + EXPIRY_MARGIN_MS + SWEEP_MS;
      const open = () => book.pending().length > 0 && anyRunning(cluster) !== undefined;
      while (open() && performance.now() < deadline) await sleep(TICK_MS);
      sweepEnd.abort();
      await sweeping;
      if (book.pending().length > 0) await sweep(cluster, book, Number.POSITIVE_INFINITY);
    },
  };
}

function anyRunning({ nodes }: Cluster): ClusterNode | undefined {
  const running = nodes.filter(({ process }) => process.running);
  return running[Math.floor(Math.random() * running.length)];
}

function makeTransfers(genesisHash: GenesisHash, accounts: readonly FundedAccount[], count: number) {
  const expiryMs = Date.now() + LIFE_MS;
  const pick = () => accounts[Math.floor(Math.random() * accounts.length)] as FundedAccount;
  return Array.from({ length: count }, () => signTransfer(genesisHash, pick(), pick(), expiryMs));
}

/** Calls `send` with what is due at each tick; what could not be sent in time is not made up for later. */
async function sendSteadily(rate: number, signal: AbortSignal, send: (count: number) => Promise<void>): Promise<void> {
  const underWay = new Set<Promise<void>>();
  let lastMs = performance.now();
  let due = 0;
  while (!signal.aborted) {
    await sleep(TICK_MS);
    const nowMs = performance.now();
    due = Math.min(due + (rate * (nowMs - lastMs)) / 1000, rate);
    lastMs = nowMs;
    if (underWay.size >= BATCHES_UNDER_WAY_MAX) continue;
    const count = Math.min(Math.floor(due), BATCH_TRANSACTIONS_MAX);
    if (count === 0) continue;
    due -= count;
    const sent = send(count).finally(() => underWay.delete(sent));
    underWay.add(sent);
  }
  await Promise.all(underWay);
}

async function sendBatch(
  cluster: Cluster,
  transfers: readonly SignedTransfer[],
  book: TransactionBook,
  refusals: Map<string, number>,
): Promise<void> {
  const node = anyRunning(cluster);
  if (node === undefined) return;
  const refuse = (id: string, why: string) => {
    book.refused(id);
    refusals.set(why, (refusals.get(why) ?? 0) + 1);
  };
  const sentMs = performance.now();
  const nodeStarts = node.process.restarts;
  for (const { id, expiryMs } of transfers) {
    book.sent({ id, node: node.name, nodeStarts, sentMs, expiryMs, accepted: false });
  }
  try {
    const body = { transactions: transfers.map(({ bytes }) => bytes) };
    const { results } = await node.client.call('submitBatch', { body });
    for (const [index, { id }] of transfers.entries()) {
      const result = results[index];
      if (result?.ok === true) book.accepted(id);
      else refuse(id, result?.problem.reason ?? result?.problem.code ?? 'no result');
    }
  } catch (error) {
    const why = error instanceof ClientError ? error.code : String(error);
    for (const { id } of transfers) refuse(id, why);
  }
}

async function sweepSteadily(cluster: Cluster, book: TransactionBook, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(SWEEP_MS);
    await sweep(cluster, book, ASKED_AT_ONCE);
  }
}

/** Asks for what has been silent: its event was missed, or its node is gone. */
async function sweep(cluster: Cluster, book: TransactionBook, countMax: number): Promise<void> {
  const nowMs = performance.now();
  const silent = book.pending().filter(({ sentMs }) => nowMs - sentMs > SILENT_MS);
  for (const transaction of silent.slice(0, countMax)) {
    const end = await findEnd(cluster, transaction);
    if (end !== undefined) book.ended(transaction.id, end, performance.now());
  }
}

async function findEnd(cluster: Cluster, { id, node, nodeStarts, expiryMs }: Sent) {
  const asked = anyRunning(cluster);
  if (asked === undefined) return undefined;
  const over = Date.now() > expiryMs + EXPIRY_MARGIN_MS;
  try {
    const { status } = await asked.client.transaction(id, {});
    if (status === 'final' || status === 'failed' || status === 'expired') return status;
    return over ? 'lost' : undefined;
  } catch (error) {
    const unknown = error instanceof ClientError && error.code === 'transaction-unknown';
    if (!unknown || !over) return undefined;
    const { process } = cluster.node(node);
    const forgotten = !process.running || process.restarts !== nodeStarts;
    return forgotten ? 'expired' : 'lost';
  }
}
