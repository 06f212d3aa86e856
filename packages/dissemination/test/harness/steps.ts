import { type BlockId, type ChunkReference, hexOf } from '@slipstream/types';
import { expect } from 'vitest';
import { type block, FOREVER, type Node, type TestNetwork } from './network.ts';
import { START_MS } from './start-time.ts';

/** Timestamp of most blocks. */
export const NOW_MS: number = START_MS + 100;

export async function submit(network: TestNetwork, node: Node, ...transactions: readonly Uint8Array[]): Promise<void> {
  const results = transactions.map((bytes) => node.dissemination.submit(bytes));
  await network.pass(2);
  for (const result of await Promise.all(results)) expect(result.type).toBe('accepted');
}

/** Waits until submitted transactions are in certified chunks. */
export async function certify(network: TestNetwork): Promise<void> {
  await network.pass(150);
}

export function build(network: TestNetwork, node: Node, parentId: BlockId = network.genesisId, timestampMs = NOW_MS) {
  return node.dissemination.buildPayload({ parentId, timestampMs });
}

/** `waiting`: no verdict after `waitMs`. */
export async function check(network: TestNetwork, node: Node, made: ReturnType<typeof block>, waitMs = 10_000) {
  let answer: string = 'waiting';
  node.dissemination.checkPayload(made.id, made.block, FOREVER).then(
    (verdict) => {
      answer = verdict.type === 'valid' ? 'valid' : verdict.reason;
    },
    (cause) => {
      answer = String(cause);
    },
  );
  await network.pass(waitMs);
  return answer;
}

export async function idsOf(node: Node, payload: readonly ChunkReference[]): Promise<readonly string[]> {
  const chunks = await Promise.all(payload.map(({ chunkId }) => node.dissemination.transactionsOf(chunkId)));
  return chunks.flatMap((transactions) => (transactions ?? []).map(({ id }) => hexOf(id)));
}
