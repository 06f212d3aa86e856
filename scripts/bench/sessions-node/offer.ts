/**
 * An open loop: request k is due at start + k / rate, whatever became of the earlier ones.
 *
 *   every TICK_MS: those due, in one POST --> accepted --> in a block, successful: accepted
 *                                                    \--> refused, failed, or in no block in time: dropped
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SignedTransfer } from '@slipstream/app-loadgen';
import type { Client } from '@slipstream/client';
import { openBatchClient } from '../submission/client.ts';

export interface Outcome {
  readonly offered: number;
  /** Executed successfully. */
  readonly accepted: number;
  readonly dropped: number;
  /** From the time at which each accepted one was due until its block. */
  readonly latenciesMs: readonly number[];
  /** By the second in which they were due. */
  readonly acceptedBySecond: readonly number[];
  /** Why requests were dropped. */
  readonly reasons: ReadonlyMap<string, number>;
}

const TICK_MS = 25;
const BATCH_MAX = 500;
/** After the last request was due. */
const END_MS_MAX = 10_000;
const POLL_MS = 20;

export async function offer(
  client: Client,
  requests: readonly SignedTransfer[],
  requestsPerSecond: number,
): Promise<Outcome> {
  const tally = createTally(requests.length, requestsPerSecond);
  const answers = await openBatchClient(client, tally.answers);
  try {
    const startMs = performance.now();
    for (let sent = 0; sent < requests.length; ) {
      const due = Math.min(requests.length, Math.ceil(((performance.now() - startMs) * requestsPerSecond) / 1_000));
      while (sent < due) {
        const batch = requests.slice(sent, Math.min(due, sent + BATCH_MAX));
        for (const [i, { id }] of batch.entries()) tally.due(id, startMs, sent + i);
        answers.send(batch);
        sent += batch.length;
      }
      await sleep(TICK_MS);
    }
    await tally.untilEnded(performance.now() + END_MS_MAX);
  } finally {
    answers.close();
  }
  return tally.outcome();
}

interface Due {
  readonly atMs: number;
  readonly second: number;
}

function createTally(offered: number, requestsPerSecond: number) {
  const open = new Map<string, Due>();
  const latenciesMs: number[] = [];
  const acceptedBySecond = new Array<number>(Math.ceil(offered / requestsPerSecond)).fill(0);
  const reasons = new Map<string, number>();
  let fault: unknown;

  function drop(id: string, reason: string): void {
    if (open.delete(id)) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }

  return {
    answers: {
      accepted() {},
      refused: drop,
      ended(id: string, isSuccess: boolean) {
        if (!isSuccess) return drop(id, 'failed');
        const due = open.get(id);
        if (due === undefined) return;
        open.delete(id);
        latenciesMs.push(performance.now() - due.atMs);
        acceptedBySecond[due.second] = (acceptedBySecond[due.second] ?? 0) + 1;
      },
      failed(error: unknown) {
        fault ??= error;
      },
    },
    due(id: string, startMs: number, index: number) {
      const second = Math.floor(index / requestsPerSecond);
      open.set(id, { atMs: startMs + (1_000 * index) / requestsPerSecond, second });
    },
    async untilEnded(deadlineMs: number) {
      while (open.size > 0 && performance.now() < deadlineMs) {
        if (fault !== undefined) throw fault;
        await sleep(POLL_MS);
      }
      for (const id of [...open.keys()]) drop(id, 'in no block in time');
    },
    outcome: (): Outcome => ({
      offered,
      accepted: latenciesMs.length,
      dropped: offered - latenciesMs.length,
      latenciesMs,
      acceptedBySecond,
      reasons,
    }),
  };
}
