/**
 * Chunks at the executor: requested once, decoded during execution, written to disk when their block commits.
 *
 *   pipeline --chunk id--> here? --no--> main thread --bytes, verdicts--> open
 *   execution --> one transaction after the other, decoded and released
 *   commit of the block --> bytes to the chunk files, synced, memory freed
 *
 * Decoded transactions are not retained until the commit: they are many small objects, which V8's collector would move. Decoding a
 * parked block again is cheaper.
 *
 * Rivals share chunks, and a parked block needs its chunks again. So a chunk stays open until its block is committed, or until
 * OPEN_BYTES_MAX of others were opened after it. Its bytes stay while any block has it open, because the main thread may have dropped it.
 */
import type { ChunkFiles } from '@slipstream/chunk-files';
import type { BlockChunk } from '@slipstream/execution';
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
import { type SuppliedChunk, verdictOf } from './wire.ts';

export interface ChunkDesk {
  chunkOf(chunkId: ChunkId, signal: AbortSignal): Promise<BlockChunk>;
  /** Resolves when the chunks of a final block, as returned by `chunkOf`, are durable in the store. */
  keep(block: Block, chunks: readonly BlockChunk[]): Promise<void>;
}

export interface ChunkDeskComponents {
  readonly supply: (chunkId: ChunkId, signal: AbortSignal) => Promise<SuppliedChunk>;
  readonly chunks: Pick<ChunkFiles, 'put'>;
}

interface OpenChunk {
  readonly bytes: Uint8Array;
  readonly chunk: BlockChunk;
}

const OPEN_BYTES_MAX = 32 * 1024 * 1024;

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
      const made = { bytes: supplied.bytes, chunk: openChunk(supplied, credentials) };
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
    // The first caller may abort when its block is dropped: then this caller asks.
    if (underWay) return underWay.catch(() => opened(chunkId, signal));
    const begun = openOne(chunkId, hex, signal);
    opening.set(hex, begun);
    return begun;
  }

  return {
    chunkOf: async (chunkId, signal) => (await opened(chunkId, signal)).chunk,
    async keep({ payload, height }, chunks) {
      if (payload.length === 0) return;
      const kept = payload.map(({ chunkId }, at) => {
        const bytes = serialized.get(chunks[at] as BlockChunk);
        assert(bytes !== undefined, 'a committed block has the chunks that it was executed with');
        return { chunkId, bytes };
      });
      await store.put(height, kept);
      for (const { chunkId } of payload) forget(hexOf(chunkId));
    },
  };
}

function openChunk(supplied: SuppliedChunk, credentials: CredentialMemory): BlockChunk {
  const { header, body } = decodeOwn(signedChunkCodec.decode(supplied.bytes));
  // Decoded once now, so that invalid bytes fail here and not during execution.
  decodeOwn(chunkBodyCodec.decode(body));
  return {
    producer: header.producer,
    transactions: { [Symbol.iterator]: () => decodeEach(body, supplied, credentials) },
  };
}

function* decodeEach(
  body: Uint8Array,
  { verdicts, ids }: SuppliedChunk,
  credentials: CredentialMemory,
): Generator<PreparedTransaction, void> {
  const serialized = decodeOwn(chunkBodyCodec.decode(body));
  for (let i = 0; i < serialized.length; i++) {
    const bytes = serialized[i] as Uint8Array;
    const id = asId<TransactionId>(ids.subarray(i * ID_BYTES, (i + 1) * ID_BYTES));
    const transaction = transactionIn(bytes, credentials);
    const { signatureValid, fault } = verdictOf(verdicts[i]);
    const auth = transaction?.auth;
    if (signatureValid && auth?.scheme === 'session') credentials.keep(auth.credential);
    yield { bytes, transaction, id, signatureValid, fault };
  }
}
