import { asId, type BlockId, type ChunkId, type ChunkReference, hexOf } from '@slipstream/types';
import { expect } from 'vitest';
import { block, FOREVER, type Node, type TestNetwork } from './network.ts';
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

/** These nodes know the block of view 2, with a reference to no chunk, and that of view 3, whose parent is of view 0. Returns the latter. */
export function loseView(network: TestNetwork, ...nodes: readonly Node[]): ReturnType<typeof block> {
  const payload = [{ chunkId: asId<ChunkId>(new Uint8Array(32).fill(77)), certificate: undefined }];
  const lost = block({ parentId: network.genesisId, payload, height: 2 });
  const next = block({ parentId: network.genesisId, payload: [], height: 3 });
  for (const { dissemination } of nodes) {
    dissemination.trackBlock(lost.id, lost.block);
    dissemination.trackBlock(next.id, next.block);
  }
  return next;
}
