/**
 * A client of one real node: sends at a rate in an open loop, and reads from the chain afterwards when each transaction was committed.
 *
 * Latency begins when a transaction is due, so a stall of the node or of the client counts (no coordinated omission).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SignedTransfer } from '@slipstream/app-loadgen';
import type { Client } from '@slipstream/client';
import { encodeBatch } from '@slipstream/schema';

export interface SendPlan {
  readonly client: Client;
  /** In the order of sending; as many as are sent. */
  readonly transfers: readonly SignedTransfer[];
  readonly transactionsPerSecond: number;
}

export interface SentTransfers {
  /** Wall ms when each accepted one was due, by id. */
  readonly dueMs: ReadonlyMap<string, number>;
  readonly refused: number;
  readonly fromMs: number;
  readonly toMs: number;
}

const TICK_MS = 20;
const ANSWER_MS_MAX = 10_000;

export async function sendAll({ client, transfers, transactionsPerSecond }: SendPlan): Promise<SentTransfers> {
  const everyMs = 1_000 / transactionsPerSecond;
  const fromMs = Date.now();
  const startMs = performance.now();
  const dueMs = new Map<string, number>();
  const sendings: Promise<void>[] = [];
  let refused = 0;

  async function send(from: number, to: number): Promise<void> {
    const batch = transfers.slice(from, to);
    const body = encodeBatch(batch.map(({ bytes }) => bytes));
    const answer = await client.call('submitBatch', { body, timeoutMs: ANSWER_MS_MAX }).catch(() => undefined);
    for (const [at, { id }] of batch.entries()) {
      if (answer?.results[at]?.ok) dueMs.set(id, fromMs + (from + at) * everyMs);
      else refused += 1;
    }
  }

  for (let sent = 0; sent < transfers.length; ) {
    await sleep(TICK_MS);
    const due = Math.min(transfers.length, Math.floor((performance.now() - startMs) / everyMs) + 1);
    if (due > sent) sendings.push(send(sent, due));
    sent = due;
  }
  await Promise.all(sendings);
  return { dueMs, refused, fromMs, toMs: fromMs + transfers.length * everyMs };
}

/** Ids in the block at this height, carried out or failed. */
export async function idsAt(client: Client, height: number): Promise<readonly string[]> {
  const { success, failed } = await client.blockOutcomes(height);
  return [success, failed].flatMap((text) =>
    Array.from({ length: (text.length - 2) / ID_DIGITS }, (_, at) => {
      const from = 2 + at * ID_DIGITS;
      return `0x${text.slice(from, from + ID_DIGITS)}`;
    }),
  );
}

const ID_DIGITS = 64;
