/** Transactions of committed blocks, from their chunks; the last few chunks stay decoded, since a page asks for neighbours. */
import type { KeyValue } from '@slipstream/ports';
import {
  type Block,
  chunkBodyCodec,
  decodeTransaction,
  hexOf,
  signedChunkCodec,
  type Transaction,
  type TransactionId,
} from '@slipstream/types';

const CHUNKS_DECODED_MAX = 8;

export type TransactionOf = (block: Block, id: TransactionId) => Promise<Transaction | undefined>;

export function createCommittedTransactions(chunks: Pick<KeyValue, 'get'>): TransactionOf {
  const decoded = new Map<string, Promise<ReadonlyMap<string, Transaction>>>();

  async function decode(chunkId: Uint8Array): Promise<ReadonlyMap<string, Transaction>> {
    const bytes = await chunks.get(chunkId);
    const chunk = bytes && signedChunkCodec.decode(bytes);
    const body = chunk?.ok ? chunkBodyCodec.decode(chunk.value.body) : undefined;
    const byId = new Map<string, Transaction>();
    for (const serialized of body?.ok ? body.value : []) {
      const { id, transaction } = decodeTransaction(serialized);
      if (transaction) byId.set(hexOf(id), transaction);
    }
    return byId;
  }

  function chunk(key: string, chunkId: Uint8Array): Promise<ReadonlyMap<string, Transaction>> {
    const known = decoded.get(key);
    if (known) return known;
    const fresh = decode(chunkId);
    decoded.set(key, fresh);
    if (decoded.size > CHUNKS_DECODED_MAX) decoded.delete(decoded.keys().next().value as string);
    return fresh;
  }

  return async ({ payload }, id) => {
    for (const { chunkId } of payload) {
      const found = (await chunk(hexOf(chunkId), chunkId)).get(hexOf(id));
      if (found) return found;
    }
    return undefined;
  };
}
