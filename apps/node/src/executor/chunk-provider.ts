/**
 * The chunks at the executor, requested by block:
 *
 *   pipeline --block--> all here? --no--> main thread --bytes, verdicts--> open
 *   execution --> one transaction after the other, decoded and released
 *   commit of the block --> bytes to the chunk files, synced, memory freed
 *
 * Decoded transactions are not retained: V8's collector would mostly move their objects. Rival blocks reference the same chunks and share
 * their bytes, up to SHARED_BYTES_MAX.
 */
import type { ChunkFiles } from '@slipstream/chunk-files';
import { type BlockBatch, decodeBatch } from '@slipstream/distilled';
import type { BlockChunk } from '@slipstream/execution';
import { assert } from '@slipstream/primitives';
import {
  asId,
  type Block,
  type BlockId,
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
import { type RequestPayload, type SuppliedChunk, unpackBatches, verdictOf } from './wire.ts';

interface ChunkProvider {
  /** In the order of the payload. Rejects with the request's error. */
  chunksOf(blockId: BlockId, block: Block, signal: AbortSignal): Promise<readonly BlockChunk[]>;
  /** Resolves when the chunks of a final block, from `chunksOf`, are durable. */
  keep(block: Block, chunks: readonly BlockChunk[]): Promise<void>;
}

interface ChunkProviderComponents {
  readonly request: RequestPayload;
  readonly chunks: Pick<ChunkFiles, 'put'>;
}

/** Four blocks of the largest payload under the default limits. */
const SHARED_BYTES_MAX = 32 * 1024 * 1024;

export function createChunkProvider({ request, chunks: files }: ChunkProviderComponents): ChunkProvider {
  const shared = new Map<string, BlockChunk>();
  const serialized = new WeakMap<BlockChunk, Uint8Array>();
  const credentials = createCredentialMemory();
  let sharedBytes = 0;

  function bytesOf(chunk: BlockChunk): Uint8Array {
    const bytes = serialized.get(chunk);
    assert(bytes !== undefined, 'a block has the chunks that it was provided with');
    return bytes;
  }

  function forget(hex: string): void {
    const chunk = shared.get(hex);
    if (chunk === undefined) return;
    shared.delete(hex);
    sharedBytes -= bytesOf(chunk).length;
  }

  function share(hex: string, chunk: BlockChunk): void {
    shared.set(hex, chunk);
    sharedBytes += bytesOf(chunk).length;
    for (const oldest of shared.keys()) {
      if (sharedBytes <= SHARED_BYTES_MAX || oldest === hex) break;
      forget(oldest);
    }
  }

  function open(hex: string, supplied: SuppliedChunk): BlockChunk {
    const known = shared.get(hex);
    if (known !== undefined) return known;
    const chunk = openChunk(supplied, credentials);
    serialized.set(chunk, supplied.bytes);
    // A rival of another height may have another verdict on it.
    if (isJudged(supplied)) share(hex, chunk);
    return chunk;
  }

  return {
    async chunksOf(blockId, block, signal) {
      const ids = block.payload.map(({ chunkId }) => hexOf(chunkId));
      const here = ids.map((id) => shared.get(id)).filter((chunk) => chunk !== undefined);
      if (here.length === ids.length) return here;
      const supplied = await request(blockId, block, signal);
      assert(supplied.length === ids.length, 'the main thread supplies every chunk of a block');
      return ids.map((id, i) => open(id, supplied[i] as SuppliedChunk));
    },
    async keep({ payload, height }, chunks) {
      if (payload.length === 0) return;
      await files.put(
        height,
        payload.map(({ chunkId }, i) => ({ chunkId, bytes: bytesOf(chunks[i] as BlockChunk) })),
      );
      for (const { chunkId } of payload) forget(hexOf(chunkId));
    },
  };
}

interface ProvidedChunk extends BlockChunk {
  readonly batches: Iterable<BlockBatch>;
}

function isJudged({ batches }: SuppliedChunk): boolean {
  return unpackBatches(batches).every(({ isValid }) => isValid !== undefined);
}

function openChunk(supplied: SuppliedChunk, credentials: CredentialMemory): ProvidedChunk {
  const { header, body } = decodeOwn(signedChunkCodec.decode(supplied.bytes));
  // Invalid bytes fail here, not during execution.
  decodeOwn(chunkBodyCodec.decode(body));
  return {
    epoch: header.epoch,
    producer: header.producer,
    transactions: { [Symbol.iterator]: () => decodeEach(body, supplied, credentials) },
    batches: { [Symbol.iterator]: () => decodeBatches(body, supplied) },
  };
}

function* decodeBatches(body: Uint8Array, supplied: SuppliedChunk): Generator<BlockBatch, void> {
  const judged = unpackBatches(supplied.batches);
  // Most chunks have no batches: their transactions are not read once more.
  if (judged.length === 0) return;
  const { batches } = decodeOwn(chunkBodyCodec.decode(body));
  for (const [i, bytes] of batches.entries()) {
    const batch = decodeOwn(decodeBatch(bytes));
    const { batchId, isValid = false } = judged[i] as (typeof judged)[number];
    yield { batch, batchId, isValid };
  }
}

function* decodeEach(
  body: Uint8Array,
  { verdicts, ids }: SuppliedChunk,
  credentials: CredentialMemory,
): Generator<PreparedTransaction, void> {
  const { transactions: serialized } = decodeOwn(chunkBodyCodec.decode(body));
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
