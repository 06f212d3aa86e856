/**
 * What a node took in and then died with is sent again, to another node.
 *
 * A node that is killed forgets what it had not yet passed on. Nobody can include that any more, and nobody can know it before its
 * expiry: half a minute for a handful of transactions. A client that sees its node die sends the same bytes again, and they pay
 * once; so does this. Who takes it in then answers for it: from there on it is lost if that node forgets it without dying.
 */
import type { NodeHandle } from '../sending/node-handle.ts';
import type { Submit } from '../sending/submit.ts';
import type { Sent, SentTransactions } from './sent-transactions.ts';

interface SendAgainComponents {
  readonly nodes: readonly NodeHandle[];
  readonly sent: SentTransactions;
  readonly submit: Submit;
  /** Uniform in [0, 1): which node. */
  readonly unit: () => number;
}

/** In one round; the next round sends the rest. */
const SENT_AGAIN_MAX = 500;

/** Whether the node that took it in has died since. */
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
