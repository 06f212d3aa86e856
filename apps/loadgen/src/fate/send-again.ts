/**
 * Resends to another node what a node accepted before it died.
 *
 * A killed node loses transactions that it had not passed on, and the loss shows only at their expiry. A client that sees its
 * node die resends the same bytes, which pay at most once; so does this module. If the second node loses the transaction
 * without dying, it counts as lost.
 */
import type { NodeHandle } from '../sending/node-handle.ts';
import type { Submit } from '../sending/submit.ts';
import type { Sent, SentTransactions } from './sent-transactions.ts';

interface SendAgainComponents {
  readonly nodes: readonly NodeHandle[];
  readonly sent: SentTransactions;
  readonly submit: Submit;
  /** Uniform in [0, 1); picks the node. */
  readonly unit: () => number;
}

/** Per round; the next round sends the rest. */
const SENT_AGAIN_MAX = 500;

/** Whether the node that accepted the transaction has died since. */
export function isForgotten(nodes: readonly NodeHandle[], { node: name, nodeStarts }: Sent): boolean {
  const home = nodes.find((node) => node.name === name);
  return home === undefined || !home.running || home.restarts !== nodeStarts;
}

export async function sendForgotten({ nodes, sent, submit, unit }: SendAgainComponents): Promise<void> {
  const forgotten = sent.pending().filter((transaction) => isForgotten(nodes, transaction));
  const running = nodes.filter((node) => node.running);
  const node = running[Math.floor(unit() * running.length)];
  if (forgotten.length === 0 || node === undefined) return;
  const again = forgotten.slice(0, SENT_AGAIN_MAX);
  const nodeStarts = node.restarts;
  const outcomes = await submit(node, again);
  for (const [at, { id }] of again.entries()) {
    if (outcomes[at]?.type === 'accepted') sent.moved(id, node.name, nodeStarts);
  }
}
