/** A client that submits batches over REST, and reads the ends of its transactions from blocks. */
import type { SignedTransfer } from '@slipstream/app-loadgen';
import type { Client } from '@slipstream/client';

export interface Answers {
  accepted(id: string): void;
  refused(id: string, reason: string): void;
  /** In a block, whatever its outcome. */
  ended(id: string): void;
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
      for (const id of [...idsOf(success), ...idsOf(failed)]) if (open.delete(id)) answers.ended(id);
    }
    isReading = false;
  }

  async function submit(transfers: readonly SignedTransfer[]): Promise<void> {
    for (const { id } of transfers) open.add(id);
    const { results } = await client.submitBatch(transfers.map(({ bytes }) => bytes));
    for (const [at, { id }] of transfers.entries()) {
      const result = results[at];
      if (result?.ok === true) answers.accepted(id);
      else if (open.delete(id)) answers.refused(id, result?.problem.code ?? 'no result');
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
