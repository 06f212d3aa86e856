/**
 * Looks up transactions without an end after their expiry, at the node that accepted them or at another one.
 *
 * Block timestamps, not clocks, decide whether a transaction can still be included: a stalled chain may include it when it
 * resumes. So nothing is judged before the node's newest block is past the expiry. The status is read before the lookup,
 * because a stalled node may answer the lookup and then catch up.
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

/** A block with the transaction may still become certified, and nodes report "expired" some seconds late. */
export const EXPIRY_MARGIN_MS = 6_000;
const ASKED_AT_ONCE = 16;
/** Lookups per round; the next round takes the rest. */
const ASKED_MAX = 2_000;

/** Looks up each transaction past expiry and margin. One that the node does not know counts as expired or lost. */
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
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'transaction-unknown') return undefined;
  }
  if (!past) return undefined;
  // A restarted node may know it from a durable chunk alone, and reports "pending" until that chunk expires.
  return isForgotten(nodes, sent) ? 'expired' : 'lost';
}

/** Whether the node's newest block is past the expiry by the margin. */
async function isPast({ client }: NodeHandle, expiryMs: number): Promise<boolean> {
  const status = await client.status().catch(() => undefined);
  return status !== undefined && status.headTimestampMs > expiryMs + EXPIRY_MARGIN_MS;
}
