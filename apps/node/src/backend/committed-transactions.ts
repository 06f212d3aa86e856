/** Transactions of committed blocks, from their chunks; the last few chunks stay decoded, since a page asks for neighbours. */
import type { KeyValue } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
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
/** Blocks whose last find is remembered. */
const BLOCKS_NEAR_MAX = 8;

type Decoded = ReadonlyMap<string, Transaction>;

export type TransactionOf = (block: Block, id: TransactionId) => Promise<Transaction | undefined>;

export function createCommittedTransactions(chunks: Pick<KeyValue, 'get'>): TransactionOf {
  const decoded = new Map<string, Promise<Decoded | undefined>>();
  /** By payload: the place of the chunk that was found in last. A page goes on in it, or in the next one. */
  const near = new Map<string, number>();

  function chunk(key: string, chunkId: Uint8Array): Promise<Decoded | undefined> {
    const known = decoded.get(key);
    if (known) return known;
    const fresh = decode(chunks, chunkId);
    keep(decoded, key, fresh, CHUNKS_DECODED_MAX);
    // One that is not here yet, or could not be read, is looked for again.
    const forget = () => {
      if (decoded.get(key) === fresh) decoded.delete(key);
    };
    fresh.then((found) => found ?? forget(), forget);
    return fresh;
  }

  return async ({ payload, payloadRoot }, id) => {
    const block = toHex(payloadRoot);
    const start = near.get(block) ?? 0;
    for (let step = 0; step < payload.length; step++) {
      const place = (start + step) % payload.length;
      const { chunkId } = payload[place] as Block['payload'][number];
      const found = (await chunk(hexOf(chunkId), chunkId))?.get(hexOf(id));
      if (found === undefined) continue;
      keep(near, block, place, BLOCKS_NEAR_MAX);
      return found;
    }
    return undefined;
  };
}

/** Undefined when the chunk is not here. */
async function decode(chunks: Pick<KeyValue, 'get'>, chunkId: Uint8Array): Promise<Decoded | undefined> {
  const bytes = await chunks.get(chunkId);
  if (bytes === undefined) return undefined;
  const chunk = signedChunkCodec.decode(bytes);
  const body = chunk.ok ? chunkBodyCodec.decode(chunk.value.body) : undefined;
  const byId = new Map<string, Transaction>();
  for (const serialized of body?.ok ? body.value : []) {
    const { id, transaction } = decodeTransaction(serialized);
    if (transaction) byId.set(hexOf(id), transaction);
  }
  return byId;
}

/** The newest `most` stay. */
function keep<T>(kept: Map<string, T>, key: string, value: T, most: number): void {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > most) kept.delete(kept.keys().next().value as string);
}
