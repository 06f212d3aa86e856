/**
 * A running load: sends in an open loop, follows the chain, looks up overdue transactions and tracks all of them.
 *
 *   source --> open loop --> nodes        blocks of one node --> tracker <-- notices of certified chunks of another
 *                  \--> tracker <-- answers         once per second: look up overdue ones, resend those of a dead node
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
import { submitBatch } from './sending/submit.ts';
import type { TransferSource } from './signing/transfer-source.ts';

interface LoadComponents {
  /** Destinations, picked at random. */
  readonly nodes: readonly NodeHandle[];
  /** The chain is read from the first that runs. A full node shows what a client sees. */
  readonly followed: readonly NodeHandle[];
  /** Source of a sample of attestations, of what this node accepted. */
  readonly noticesOf?: NodeHandle | undefined;
  readonly source: TransferSource;
  readonly unit: () => number;
  readonly wallMs: () => number;
}

export interface LoadOptions extends SentTransactionsOptions {
  readonly transactionsPerSecond: number;
  /** Committed height at the start: the follower reads the blocks above. */
  readonly fromHeight: number;
  readonly onBlock?: (block: { readonly height: number; readonly transactions: number }) => void;
}

export interface Load {
  readonly sent: SentTransactions;
  readonly loop: OpenLoop;
  readonly height: () => number;
  /** Resolves when every accepted transaction has its end or can no longer be included; the load may continue. */
  settled(): Promise<void>;
  /** Stops sending and follows what is open until all has ended or can no longer be included. */
  finish(): Promise<void>;
  /** Stops at once. Idempotent. */
  close(): Promise<void>;
}

const SWEEP_MS = 1_000;
const POLL_MS = 20;
/** The longest life that a chain accepts. After it, a margin and some lookup rounds nothing can change. */
const LIFE_MS_MAX = 60_000;
const ASKING_MS_MAX = 30_000;

export function startLoad(components: LoadComponents, options: LoadOptions): Load {
  const { nodes, unit } = components;
  const sent = createSentTransactions(options);
  const sending = new AbortController();
  const sweeping = new AbortController();
  const follower = followBlocks({
    nodes: components.followed,
    fromHeight: options.fromHeight,
    onOutcome: (id, outcome, atMs) => sent.ended(id, outcome, atMs),
    ...(options.onBlock && { onBlock: options.onBlock }),
  });
  const attested = components.noticesOf && watchAttested(components.noticesOf, sent);
  const loop = startOpenLoop(
    { nodes, submit: submitBatch, sent, take: (count) => components.source.take(count), unit },
    { transactionsPerSecond: options.transactionsPerSecond, signal: sending.signal },
  );
  const swept = sweep(components, sent, sweeping.signal);
  const runs = () => nodes.some(({ running }) => running);

  async function close(): Promise<void> {
    sending.abort();
    sweeping.abort();
    attested?.close();
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

/** Reads up to the node's height, so that every reported end is read from its block too. */
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
    const { nodes, unit, wallMs } = components;
    await sendForgotten({ nodes, sent, submit: submitBatch, unit });
    await settleOverdue({ nodes, sent, wallMs });
  }
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
