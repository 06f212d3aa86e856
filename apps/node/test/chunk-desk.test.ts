/** Chunks at the executor: what is kept of a committed block. */
import type { BlockChunk } from '@slipstream/execution';
import {
  asId,
  CHUNK_BYTES_MAX,
  type ChunkId,
  chunkBodyCodec,
  type GenesisHash,
  genesisBlock,
  height,
  hexOf,
  NO_UNITS,
  signedChunkCodec,
  TRANSACTION_BYTES_MAX,
} from '@slipstream/types';
import { expect, it } from 'vitest';
import * as kept from '../../../packages/chunk-files/test/builders.ts';
import { createChunkDesk } from '../src/executor/chunk-desk.ts';
import type { SuppliedChunk } from '../src/executor/wire.ts';

const FOREVER = new AbortController().signal;
const GENESIS = genesisBlock(asId<GenesisHash>(new Uint8Array(32)), 0);
const HASH = new Uint8Array(32);
const SIGNATURE = new Uint8Array(192);
/** More than a desk holds open for a second use: 32 MiB. */
const LARGE_CHUNKS = 20;

const chunkId = (number: number): ChunkId => asId<ChunkId>(new Uint8Array(32).fill(number));

/** Of nearly the largest size; its transactions do not decode, which is legal. */
function largeChunk(sequence: number): SuppliedChunk {
  const count = CHUNK_BYTES_MAX / TRANSACTION_BYTES_MAX - 1;
  const body = chunkBodyCodec.encode(Array.from({ length: count }, () => new Uint8Array(TRANSACTION_BYTES_MAX)));
  const sizes = { bodyBytes: body.length, transactionCount: count, units: NO_UNITS };
  const header = { epoch: 0, producer: 0, sequence, createdMs: 0, expiryMs: 0, bodyHash: HASH, ...sizes };
  const bytes = signedChunkCodec.encode({ header, body, signature: SIGNATURE });
  return { bytes, verdicts: new Uint8Array(count), ids: new Uint8Array(32 * count) };
}

it('keeps the chunks of a block through a power cut, however many were opened since, and asks for none of them again', async () => {
  const machine = kept.newMachine();
  const files = await kept.open(machine);
  const asked: string[] = [];
  const supply = async (id: ChunkId): Promise<SuppliedChunk> => {
    // As the main thread, which lets go of a block once its commit is told.
    if (asked.includes(hexOf(id))) throw new Error('of no block that is being executed');
    asked.push(hexOf(id));
    return largeChunk(asked.length);
  };
  const desk = createChunkDesk({ supply, chunks: files });
  const opened: BlockChunk[] = [];
  for (let number = 1; number <= LARGE_CHUNKS; number++) opened.push(await desk.chunkOf(chunkId(number), FOREVER));
  const block = { ...GENESIS, height: height(1), payload: [{ chunkId: chunkId(1), certificate: undefined }] };
  await desk.keep(block, opened.slice(0, 1));
  machine.disk.crash('lose-all');
  machine.index.crash('lose-all');
  const again = await kept.open(machine);
  expect(await again.get(chunkId(1))).toEqual(largeChunk(1).bytes);
  expect(await again.get(chunkId(2))).toBeUndefined();
});

it('asks once for the blocks that name a chunk, and again when the block that asked first is dropped', async () => {
  const asked: PromiseWithResolvers<SuppliedChunk>[] = [];
  const supply = (_id: ChunkId, signal: AbortSignal): Promise<SuppliedChunk> => {
    const made = Promise.withResolvers<SuppliedChunk>();
    asked.push(made);
    signal.addEventListener('abort', () => made.reject(signal.reason));
    return made.promise;
  };
  const desk = createChunkDesk({ supply, chunks: await kept.open(kept.newMachine()) });
  const dropped = new AbortController();
  const first = desk.chunkOf(chunkId(1), dropped.signal);
  const second = desk.chunkOf(chunkId(1), FOREVER);
  expect(asked).toHaveLength(1);
  dropped.abort(new Error('its block is dropped'));
  await expect(first).rejects.toThrow('its block is dropped');
  expect(asked).toHaveLength(2);
  asked[1]?.resolve(largeChunk(1));
  expect((await second).producer).toBe(0);
});
