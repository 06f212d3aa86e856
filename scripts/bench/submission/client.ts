/** A client that submits batches over REST, and reads the ends of its transactions from blocks. */
import type { SignedTransfer } from '@slipstream/app-loadgen';
import { type Client, ClientError } from '@slipstream/client';

export interface Answers {
  accepted(id: string): void;
  refused(id: string, reason: string): void;
  /** In a block. */
  ended(id: string, isSuccess: boolean): void;
  /** No further answer comes. */
  failed(error: unknown): void;
}

export interface BatchClient {
  /** Never waits. */
  send(transfers: readonly SignedTransfer[]): void;
  close(): void;
}

export async function openBatchClient(client: Client, answers: Answers): Promise<BatchClient> {
  const live = Promise.withResolvers<void>();
  let height = (await client.status()).height;
  let committed = height;
  let isReading = false;
  /** Its own: blocks hold other clients' too. */
  const open = new Set<string>();
  const events = client.events({
    topics: ['blocks'],
    onState: () => live.resolve(),
    onEvent: ({ event }) => {
      if (event.type !== 'block.committed') return;
      committed = Math.max(committed, event.data.height);
      if (!isReading) readBlocks().catch(answers.failed);
    },
  });

  async function readBlocks(): Promise<void> {
    isReading = true;
    while (height < committed) {
      const { success, failed } = await client.blockOutcomes(height + 1);
      height += 1;
      for (const id of idsOf(success)) if (open.delete(id)) answers.ended(id, true);
      for (const id of idsOf(failed)) if (open.delete(id)) answers.ended(id, false);
    }
    isReading = false;
  }

  async function submit(transfers: readonly SignedTransfer[]): Promise<void> {
    for (const { id } of transfers) open.add(id);
    const results = await resultsOf(transfers);
    for (const [at, { id }] of transfers.entries()) {
      const reason = results[at];
      if (reason === undefined) answers.accepted(id);
      else if (open.delete(id)) answers.refused(id, reason);
    }
  }

  /** Undefined: accepted. A busy node refuses a whole batch. */
  async function resultsOf(transfers: readonly SignedTransfer[]): Promise<readonly (string | undefined)[]> {
    try {
      const { results } = await client.submitBatch(transfers.map(({ bytes }) => bytes));
      return results.map((result) => (result.ok ? undefined : (result.problem.reason ?? result.problem.code)));
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      return transfers.map(() => error.problem?.reason ?? error.code);
    }
  }

  await live.promise;
  return {
    send: (transfers) => void submit(transfers).catch(answers.failed),
    close: () => events.close(),
  };
}

const ID_DIGITS = 64;

/** `ids`: 0x and concatenated ids. */
function idsOf(ids: string): readonly string[] {
  return Array.from({ length: (ids.length - 2) / ID_DIGITS }, (_, index) => {
    const at = 2 + index * ID_DIGITS;
    return `0x${ids.slice(at, at + ID_DIGITS)}`;
  });
}
