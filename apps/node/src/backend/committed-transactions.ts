/**
 * Transactions of committed blocks, from their chunks; the last few stay decoded, because a page reads neighbours.
 *
 *   the chunk of the last find --> the one beside it --> the middle of the rest --> ...
 *
 * Receipts are in payload order, so any transaction shows on which side to continue. A duplicate's receipt may point to the wrong side, so
 * every chunk is searched before a transaction is missing.
 */
import type { ChunkReader } from '@slipstream/chunk-files';
import type { LedgerReader } from '@slipstream/ledger';
import { bytesEqual, fromHex, toHex } from '@slipstream/primitives';
import {
  type Block,
  chunkBodyCodec,
  decodeTransaction,
  hexOf,
  receiptHeadInBytes,
  signedChunkCodec,
  type Transaction,
  type TransactionId,
} from '@slipstream/types';

const CHUNKS_DECODED_MAX = 8;
const BLOCKS_NEAR_MAX = 8;
/** Transactions of a chunk that are looked up in the receipts: a skipped one has no receipt. */
const SAMPLES_MAX = 8;

type Decoded = ReadonlyMap<string, Transaction>;

export type TransactionOf = (block: Block, id: TransactionId) => Promise<Transaction | undefined>;

export function createCommittedTransactions(
  chunks: ChunkReader,
  ledger: Pick<LedgerReader, 'receipts'>,
): TransactionOf {
  const decoded = new Map<string, Promise<Decoded | undefined>>();
  /** Chunk of the last find, by payload. */
  const near = new Map<string, number>();

  function chunk(key: string, chunkId: Uint8Array): Promise<Decoded | undefined> {
    const known = decoded.get(key);
    if (known) return known;
    const fresh = decode(chunks, chunkId);
    keep(decoded, key, fresh, CHUNKS_DECODED_MAX);
    // A missing or unreadable chunk is not cached.
    const forget = () => {
      if (decoded.get(key) === fresh) decoded.delete(key);
    };
    fresh.then((found) => found ?? forget(), forget);
    return fresh;
  }

  return async ({ height, payload, payloadRoot }, id) => {
    const block = toHex(payloadRoot);
    const unseen = new Set(payload.keys());
    let [low, high] = [0, payload.length];
    let receipts: readonly Uint8Array[] | undefined;
    let isBeside = near.has(block);
    let place = near.get(block) ?? nearest(unseen, low, high);
    while (place !== undefined) {
      unseen.delete(place);
      const { chunkId } = payload[place] as Block['payload'][number];
      const transactions = await chunk(hexOf(chunkId), chunkId);
      const found = transactions?.get(hexOf(id));
      if (found !== undefined) {
        keep(near, block, place, BLOCKS_NEAR_MAX);
        return found;
      }
      if (transactions && unseen.size > 1) receipts ??= (await ledger.receipts(height)) ?? [];
      const side = transactions && receipts && sideOf(receipts, id, transactions);
      if (side === 'behind') low = Math.max(low, place + 1);
      if (side === 'before') high = Math.min(high, place);
      const next = side === 'before' ? place - 1 : place + 1;
      place = isBeside && unseen.has(next) ? next : nearest(unseen, low, high);
      isBeside = false;
    }
    return undefined;
  };
}

/** Nearest to the middle of low..high, preferably between them. */
function nearest(unseen: ReadonlySet<number>, low: number, high: number): number | undefined {
  const middle = Math.floor((low + high) / 2);
  const between = [...unseen].filter((place) => place >= low && place < high);
  const places = between.length > 0 ? between : [...unseen];
  return places.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
}

/** Whether the id is before or behind the chunk; undefined when no receipt shows it. */
function sideOf(receipts: readonly Uint8Array[], id: Uint8Array, chunk: Decoded): 'before' | 'behind' | undefined {
  const placeOf = (wanted: Uint8Array) =>
    receipts.findIndex((receipt) => bytesEqual(receiptHeadInBytes(receipt).id, wanted));
  const own = placeOf(id);
  if (own < 0) return undefined;
  const samples = [...chunk.keys()].slice(0, SAMPLES_MAX);
  for (const sample of samples) {
    const place = placeOf(fromHex(sample));
    if (place >= 0) return own < place ? 'before' : 'behind';
  }
  return undefined;
}

async function decode(chunks: ChunkReader, chunkId: Uint8Array): Promise<Decoded | undefined> {
  const bytes = await chunks.get(chunkId);
  if (bytes === undefined) return undefined;
  const chunk = signedChunkCodec.decode(bytes);
  const body = chunk.ok ? chunkBodyCodec.decode(chunk.value.body) : undefined;
  const byId = new Map<string, Transaction>();
  for (const serialized of body?.ok ? body.value.transactions : []) {
    const { id, transaction } = decodeTransaction(serialized);
    if (transaction) byId.set(hexOf(id), transaction);
  }
  return byId;
}

function keep<T>(kept: Map<string, T>, key: string, value: T, most: number): void {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > most) kept.delete(kept.keys().next().value as string);
}
