/** Chunks of one producer on a network with acks on demand. */
import { type ChunkHeader, decodeFrame, signedChunkCodec } from '@slipstream/types';
import { expect } from 'vitest';
import { createTestNetwork, idOf, type Node, type TestNetwork, transaction } from './network.ts';
import { submit } from './steps.ts';

export const PRODUCER = 0;
export const LATER_MS = 400;

export async function afterProbe(limits = {}): Promise<TestNetwork> {
  const network = createTestNetwork({ acks: 'on-demand', limits });
  await submit(network, network.node(PRODUCER), transaction());
  await network.pass(LATER_MS);
  expect(headersOf(network).map(({ acksWanted }) => acksWanted)).toEqual([true]);
  return network;
}

/** Of the chunks that the producer sent, each once. */
export function headersOf(network: TestNetwork): readonly ChunkHeader[] {
  const headers = new Map<number, ChunkHeader>();
  for (const { frame } of network.node(PRODUCER).sent) {
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'chunk') continue;
    const signed = signedChunkCodec.decode(decoded.value.value.bytes);
    if (signed.ok) headers.set(signed.value.header.sequence, signed.value.header);
  }
  return [...headers.values()];
}

export const lastAsks = (network: TestNetwork) => headersOf(network).at(-1)?.acksWanted;

/** Ids of the chunks that it acknowledged. */
export const ackedBy = ({ log }: Node) =>
  log.flatMap(({ kind, payload }) => (kind === 'own-chunk-ack' ? [payload] : []));

/** Makes a chunk of one transaction, of this account; returns its id. */
export async function makeChunk(network: TestNetwork): Promise<string> {
  const before = headersOf(network).length;
  const bytes = transaction();
  await submit(network, network.node(PRODUCER), bytes);
  await network.pass(30);
  expect(headersOf(network)).toHaveLength(before + 1);
  return idOf(bytes);
}

export const attestedAt = ({ attested }: Node, id: string) =>
  attested.some(({ transactionIds }) => transactionIds.includes(id as never));
