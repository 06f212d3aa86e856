import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@slipstream/client';
import { type TransactionView, WAIT_STAGES, type WaitStage } from '@slipstream/schema';
import { NodeError } from '../errors.ts';

/** Longest wait of one request. */
const ASK_MS_MAX = 10_000;
/** Pause after an early answer: the node has reached its limit of waits. */
const PAUSE_MS = 500;

/** Longer than a transaction's life, so that its end is known. */
export const WAIT_SECONDS_DEFAULT = 90;

/** Throws NodeError `request-failed` when the time is over. */
export async function waitForStage(
  client: Pick<Client, 'transaction'>,
  id: string,
  stage: WaitStage,
  seconds = WAIT_SECONDS_DEFAULT,
): Promise<TransactionView> {
  const deadlineMs = performance.now() + seconds * 1_000;
  for (;;) {
    const askedMs = performance.now();
    const leftMs = Math.round(deadlineMs - askedMs);
    if (leftMs <= 0) {
      throw new NodeError('request-failed', `${id} is not ${stage} after ${seconds} s. Ask again: tx show`);
    }
    const timeoutMs = Math.min(leftMs, ASK_MS_MAX);
    const view = await client.transaction(id, { wait: stage, timeoutMs });
    if (isReached(view, stage)) return view;
    if (performance.now() - askedMs < timeoutMs / 2) await sleep(Math.min(PAUSE_MS, leftMs));
  }
}

/** An end counts as every stage. */
function isReached({ status }: TransactionView, stage: WaitStage): boolean {
  const stages: readonly string[] = WAIT_STAGES;
  return status === 'failed' || status === 'expired' || stages.indexOf(status) >= stages.indexOf(stage);
}
