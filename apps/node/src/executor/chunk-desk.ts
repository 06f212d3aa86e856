/**
 * Chunks at the executor: asked for once, decoded once, kept on disk as their block is committed.
 *
 *   pipeline --chunk id--> here? --no--> main thread --bytes, verdicts--> decode --> transactions
 *   block at its commit --> bytes to the chunk store, synced, memory freed
 *
 * Rivals share chunks, and a parked block needs its own again: what is open stays until its block is committed, or until
 * OPEN_BYTES_MAX of others came after it. The bytes of a chunk stay as long as anybody has what was decoded of them: a block
 * whose chunks were decoded long before its commit can still be kept, without asking the main thread, which knows it no more.
 */
import type { BlockChunk } from '@slipstream/execution';
import type { KeyValue } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import {
  asId,
  type Block,
  type ChunkId,
  type CredentialMemory,
  chunkBodyCodec,
  createCredentialMemory,
  hexOf,
  ID_BYTES,
  type PreparedTransaction,
  signedChunkCodec,
  type TransactionId,
  transactionIn,
} from '@slipstream/types';
import { decodeOwn } from '../threads/decode-own.ts';
import { nextTurn } from '../world/index.ts';
import { type SuppliedChunk, verdictOf } from './wire.ts';

export interface ChunkDesk {
  chunkOf(chunkId: ChunkId, signal: AbortSignal): Promise<BlockChunk>;
  /** Settles when the chunks of a final block, as `chunkOf` gave them, are in the store and survive a power cut. */
  keep(block: Block, chunks: readonly BlockChunk[]): Promise<void>;
}

export interface ChunkDeskComponents {
  /** Asks the main thread. */
  readonly supply: (chunkId: ChunkId, signal: AbortSignal) => Promise<SuppliedChunk>;
  /** Where chunks of committed blocks are kept. */
  readonly chunks: KeyValue;
}

interface OpenChunk {
  readonly bytes: Uint8Array;
  readonly chunk: BlockChunk;
}

/** Serialized size; decoded ones take several times as much. */
const OPEN_BYTES_MAX = 32 * 1024 * 1024;
/** Decoded between two pauses: 4 ms of the thread, which also answers reads. */
const TRANSACTIONS_AT_ONCE = 512;

export function createChunkDesk({ supply, chunks: store }: ChunkDeskComponents): ChunkDesk {
  const open = new Map<string, OpenChunk>();
  const opening = new Map<string, Promise<OpenChunk>>();
  const serialized = new WeakMap<BlockChunk, Uint8Array>();
  const credentials = createCredentialMemory();
  let openBytes = 0;

  function forget(hex: string): void {
    openBytes -= open.get(hex)?.bytes.length ?? 0;
    open.delete(hex);
  }

  function remember(hex: string, chunk: OpenChunk): void {
    forget(hex);
    open.set(hex, chunk);
    openBytes += chunk.bytes.length;
    for (const oldest of open.keys()) {
      if (openBytes <= OPEN_BYTES_MAX || oldest === hex) break;
      forget(oldest);
    }
  }

  async function openOne(chunkId: ChunkId, hex: string, signal: AbortSignal): Promise<OpenChunk> {
    try {
      const supplied = await supply(chunkId, signal);
      const made = { bytes: supplied.bytes, chunk: await decodeChunk(supplied, credentials) };
      serialized.set(made.chunk, made.bytes);
      remember(hex, made);
      return made;
    } finally {
      opening.delete(hex);
    }
  }

  function opened(chunkId: ChunkId, signal: AbortSignal): Promise<OpenChunk> {
    const hex = hexOf(chunkId);
    const known = open.get(hex);
    if (known) return Promise.resolve(known);
    const underWay = opening.get(hex);
    // Whoever asked first may give up, as its block is dropped: then this caller asks.
    if (underWay) return underWay.catch(() => opened(chunkId, signal));
    const begun = openOne(chunkId, hex, signal);
    opening.set(hex, begun);
    return begun;
  }

  return {
    chunkOf: async (chunkId, signal) => (await opened(chunkId, signal)).chunk,
    async keep({ payload }, chunks) {
      if (payload.length === 0) return;
      const operations = payload.map(({ chunkId }, at) => {
        const value = serialized.get(chunks[at] as BlockChunk);
        assert(value !== undefined, 'a committed block has the chunks that it was executed with');
        return { type: 'put', key: chunkId, value } as const;
      });
      await store.batch(operations, { sync: true });
      for (const { chunkId } of payload) forget(hexOf(chunkId));
    },
  };
}

async function decodeChunk(
  { bytes, verdicts, ids }: SuppliedChunk,
  credentials: CredentialMemory,
): Promise<BlockChunk> {
  const { header, body } = decodeOwn(signedChunkCodec.decode(bytes));
  const serialized = decodeOwn(chunkBodyCodec.decode(body));
  const transactions: PreparedTransaction[] = [];
  for (const [i, each] of serialized.entries()) {
    if (i % TRANSACTIONS_AT_ONCE === TRANSACTIONS_AT_ONCE - 1) await nextTurn();
    const id = asId<TransactionId>(ids.subarray(i * ID_BYTES, (i + 1) * ID_BYTES));
    const transaction = transactionIn(each, credentials);
    const { signatureValid, fault } = verdictOf(verdicts[i]);
    const auth = transaction?.auth;
    if (signatureValid && auth?.scheme === 'session') credentials.keep(auth.credential);
    transactions.push({ bytes: each, transaction, id, signatureValid, fault });
  }
  return { producer: header.producer, transactions };
}
