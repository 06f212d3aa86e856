/** Waiting until a transaction is as far as asked: one request after the other, as long as it takes or may. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@slipstream/client';
import { type TransactionView, WAIT_STAGES, type WaitStage } from '@slipstream/schema';
import { NodeError } from '../errors.ts';

/** One request waits this long at most; then it is asked again. */
const ASK_MS_MAX = 10_000;
/** After an answer that came before its time: the node has as many waits as it may have. */
const PAUSE_MS = 500;

/** Until its end is known, whatever it is: a transaction lives a minute at most. */
export const WAIT_SECONDS_DEFAULT = 90;

/** The transaction when it has reached the stage, or an end. Throws NodeError `request-failed` when the time is over. */
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

/** An end of any kind is as far as it will ever be. */
export function isReached({ status }: TransactionView, stage: WaitStage): boolean {
  const stages: readonly string[] = WAIT_STAGES;
  return status === 'failed' || status === 'expired' || stages.indexOf(status) >= stages.indexOf(stage);
}
