/** Node 0 leaves, node 4 joins, and every index of those who stay is another one. */
import { type ChunkHeader, chunkHeaderCodec, decodeFrame, epoch, hexOf } from '@slipstream/types';
import { createTestNetwork, type Node, type TestNetwork, type TestNetworkOptions } from './network.ts';

export const NODES = [0, 1, 2, 3, 4] as const;
export const NEXT_EPOCH = epoch(1);
const COMMITTEES = [
  [0, 1, 2, 3],
  [1, 2, 3, 4],
];

export function twoEpochs(options: TestNetworkOptions = {}): TestNetwork {
  return createTestNetwork({ committees: COMMITTEES, ...options });
}

export function sealAll(network: TestNetwork): void {
  for (const number of NODES) network.node(number).seal();
  network.fullNode.seal();
}

export async function moveAll(network: TestNetwork): Promise<void> {
  sealAll(network);
  for (const number of NODES) network.node(number).move();
  network.fullNode.move();
  await network.pass();
}

/** Of the node's own chunks, oldest first. */
export function headersBy({ log }: Node): readonly ChunkHeader[] {
  return log.flatMap(({ kind, payload }) => {
    const decoded = kind === 'own-chunk-header' ? chunkHeaderCodec.decode(payload) : undefined;
    return decoded?.ok ? decoded.value : [];
  });
}

/** Chunk ids and signers. */
export function acksBy({ sent }: Node): readonly (readonly [chunkId: string, signer: number])[] {
  return sent.flatMap(({ frame }) => {
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'chunkAck') return [];
    const { chunkId, signer } = decoded.value.value;
    return [[hexOf(chunkId), signer] as const];
  });
}
