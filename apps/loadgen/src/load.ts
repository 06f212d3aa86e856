/**
 * A load under way: the open loop that sends, the chain that is followed, what stays silent asked for, the book of it all.
 *
 *   source --> open loop --> nodes        blocks of one node --> book <-- notices of certified chunks of another
 *                  \--> book <-- answers            overdue ones: asked for; those of a dead node: sent again; once a second
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStream } from '@slipstream/client';
import { type BlockFollower, followBlocks } from './fate/block-follower.ts';
import { sendForgotten } from './fate/send-again.ts';
import {
  createSentTransactions,
  type SentTransactions,
  type SentTransactionsOptions,
} from './fate/sent-transactions.ts';
import { EXPIRY_MARGIN_MS, settleOverdue } from './fate/settle.ts';
import type { NodeHandle } from './sending/node-handle.ts';
import { type OpenLoop, startOpenLoop } from './sending/open-loop.ts';
import type { Submitter } from './sending/submit.ts';
import type { TransferSource } from './signing/transfer-source.ts';

interface LoadComponents {
  /** Sent to, at random. */
  readonly nodes: readonly NodeHandle[];
  /** Read from: the first that runs. A full node sees what a client sees. */
  readonly followed: readonly NodeHandle[];
  /** Where the way of submission does not tell, its notices time the attestations of what it took in: a sample, at its cost. */
  readonly noticesOf?: NodeHandle | undefined;
  readonly submitter: Submitter;
  readonly source: TransferSource;
  readonly unit: () => number;
  readonly wallMs: () => number;
}

export interface LoadOptions extends SentTransactionsOptions {
  readonly transactionsPerSecond: number;
  /** Committed when the load begins: what is above is read. */
  readonly fromHeight: number;
  readonly onBlock?: (block: { readonly height: number; readonly transactions: number }) => void;
}

export interface Load {
  readonly sent: SentTransactions;
  readonly loop: OpenLoop;
  readonly height: () => number;
  /** All accepted ones have their end, or no node can include them any more; the load may go on. */
  settled(): Promise<void>;
  /** Sends no more, and follows what is on its way, until all has ended or no node can include it any more. */
  finish(): Promise<void>;
  /** Stops at once. Idempotent. */
  close(): Promise<void>;
}

const SWEEP_MS = 1_000;
const POLL_MS = 20;
/** A chain takes in nothing that lives longer; after that, and a margin, and rounds of asking, nothing can change. */
const LIFE_MS_MAX = 60_000;
const ASKING_MS_MAX = 30_000;

export function startLoad(components: LoadComponents, options: LoadOptions): Load {
  const { nodes, submitter, unit } = components;
  const sent = createSentTransactions(options);
  const sending = new AbortController();
  const sweeping = new AbortController();
  const follower = followBlocks({
    nodes: components.followed,
    fromHeight: options.fromHeight,
    onOutcome: (id, outcome, atMs) => sent.ended(id, outcome, atMs),
    ...(options.onBlock && { onBlock: options.onBlock }),
  });
  const stopNotices = listenForAttested(components, sent);
  const loop = startOpenLoop(
    { nodes, submit: submitter.submit, sent, take: (count) => components.source.take(count), unit },
    { transactionsPerSecond: options.transactionsPerSecond, signal: sending.signal },
  );
  const swept = sweep(components, sent, sweeping.signal);
  const runs = () => nodes.some(({ running }) => running);

  async function close(): Promise<void> {
    sending.abort();
    sweeping.abort();
    stopNotices();
    await Promise.all([loop.done, swept, follower.close()]);
  }

  async function settled(): Promise<void> {
    const deadline = performance.now() + LIFE_MS_MAX + EXPIRY_MARGIN_MS + ASKING_MS_MAX;
    while (sent.pendingCount() > 0 && runs() && performance.now() < deadline) await sleep(POLL_MS);
  }

  return {
    sent,
    loop,
    height: () => follower.height(),
    settled,
    async finish() {
      sending.abort();
      await loop.done;
      await settled();
      await readUpToTip(components.followed, follower);
      await close();
    },
    close,
  };
}

/** The follower has read what its node has: an end that was told elsewhere is in it too. */
async function readUpToTip(nodes: readonly NodeHandle[], follower: BlockFollower): Promise<void> {
  const status = await nodes
    .find(({ running }) => running)
    ?.client.status()
    .catch(() => undefined);
  if (status !== undefined) await Promise.race([follower.reach(status.height), sleep(ASKING_MS_MAX)]);
}

async function sweep(components: LoadComponents, sent: SentTransactions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(SWEEP_MS, undefined, { signal }).catch(() => undefined);
    const { nodes, submitter, unit, wallMs } = components;
    await sendForgotten({ nodes, sent, submit: submitter.submit, unit });
    await settleOverdue({ nodes, sent, wallMs });
  }
}

function listenForAttested({ submitter, noticesOf }: LoadComponents, sent: SentTransactions): () => void {
  if (submitter.onAttested) return submitter.onAttested((id) => sent.attested(id, performance.now()));
  const stream = noticesOf && watchAttested(noticesOf, sent);
  return () => stream?.close();
}

function watchAttested({ client }: NodeHandle, sent: SentTransactions): EventStream {
  return client.events({
    topics: ['transactions'],
    onEvent: ({ event }) => {
      if (event.type === 'transaction.status' && event.data.status === 'attested')
        sent.attested(event.data.id, performance.now());
    },
  });
}
