/**
 * What stays open after its expiry: asked for at the node that took it in, or at any other.
 *
 * Whether a transaction can still be included is decided by the time of blocks, not of clocks: a chain that stands still may include
 * it when it goes on. So nothing is judged before the node's newest block is past the expiry, which is asked first: a node that stood
 * still answers what it is asked and then catches up.
 */
import { ClientError } from '@slipstream/client';
import type { NodeHandle } from '../sending/node-handle.ts';
import { isForgotten } from './send-again.ts';
import type { Sent, SentTransactions } from './sent-transactions.ts';

interface SettleComponents {
  readonly nodes: readonly NodeHandle[];
  readonly sent: SentTransactions;
  readonly wallMs: () => number;
}

/** A block with it may still be on its way to being certified; a node says "expired" some seconds later. */
export const EXPIRY_MARGIN_MS = 6_000;
const ASKED_AT_ONCE = 16;
/** Asked for in one round; the next round asks for the rest. */
const ASKED_MAX = 2_000;

/** Asks once for each that is past its expiry and margin. What no node knows is expired or lost. */
export async function settleOverdue({ nodes, sent, wallMs }: SettleComponents): Promise<void> {
  const overdue = sent.pending().filter(({ expiryMs }) => wallMs() > expiryMs + EXPIRY_MARGIN_MS);
  const asked = overdue.slice(0, ASKED_MAX);
  for (let at = 0; at < asked.length; at += ASKED_AT_ONCE) {
    await Promise.all(
      asked.slice(at, at + ASKED_AT_ONCE).map(async (transaction) => {
        const end = await findEnd(nodes, transaction);
        if (end !== undefined) sent.ended(transaction.id, end, performance.now());
      }),
    );
  }
}

async function findEnd(nodes: readonly NodeHandle[], sent: Sent) {
  const { id, node: name, expiryMs } = sent;
  const home = nodes.find((node) => node.name === name);
  const asked = home?.running ? home : nodes.find(({ running }) => running);
  if (asked === undefined) return undefined;
  const past = await isPast(asked, expiryMs);
  try {
    const { status } = await asked.client.transaction(id, {});
    if (status === 'final' || status === 'failed' || status === 'expired') return status;
    return past ? 'lost' : undefined;
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'transaction-unknown') return undefined;
    if (!past) return undefined;
    return isForgotten(nodes, sent) ? 'expired' : 'lost';
  }
}

/** The node's newest block is past the expiry, by the margin. */
async function isPast({ client }: NodeHandle, expiryMs: number): Promise<boolean> {
  const status = await client.status().catch(() => undefined);
  return status !== undefined && status.headTimestampMs > expiryMs + EXPIRY_MARGIN_MS;
}
