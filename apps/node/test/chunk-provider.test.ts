import type { BlockBatch } from '@slipstream/distilled';
import {
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  CHUNK_BYTES_MAX,
  type ChunkId,
  chunkBodyCodec,
  type GenesisHash,
  genesisBlock,
  height,
  payloadRootOf,
  signedChunkCodec,
  TRANSACTION_BYTES_MAX,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import * as kept from '../../../packages/chunk-files/test/builders.ts';
import { batchBytes } from '../../../packages/dissemination/test/harness/batches.ts';
import { chunkHeader } from '../../../packages/types/test/chunk-header.ts';
import { createChunkProvider } from '../src/executor/chunk-provider.ts';
import {
  packBatches,
  packPayload,
  type RequestPayload,
  type SuppliedChunk,
  unpackPayload,
} from '../src/executor/wire.ts';

const FOREVER = new AbortController().signal;
const GENESIS = genesisBlock(asId<GenesisHash>(new Uint8Array(32)), 0);
const SIGNATURE = new Uint8Array(192);
/** Above the 32 MiB that rivals share. */
const LARGE_CHUNKS = 20;

const chunkId = (number: number): ChunkId => asId<ChunkId>(new Uint8Array(32).fill(number));

/** Nearly the largest; transactions that do not decode are legal. */
function largeChunk(number: number): SuppliedChunk {
  const count = CHUNK_BYTES_MAX / TRANSACTION_BYTES_MAX - 1;
  const body = chunkBodyCodec.encode({
    transactions: Array.from({ length: count }, () => new Uint8Array(TRANSACTION_BYTES_MAX)),
    batches: [],
  });
  const header = chunkHeader(body, { producer: number, sequence: number, transactionCount: count });
  const bytes = signedChunkCodec.encode({ header, body, signature: SIGNATURE });
  return { bytes, verdicts: new Uint8Array(count), ids: new Uint8Array(32 * count), batches: new Uint8Array(0) };
}

interface Made {
  readonly blockId: BlockId;
  readonly block: Block;
}

function made(at: number, ...chunks: readonly number[]): Made {
  const payload = chunks.map((chunk) => ({ chunkId: chunkId(chunk), certificate: undefined }));
  const block = { ...GENESIS, height: height(at), payload, payloadRoot: payloadRootOf(payload) };
  return { block, blockId: blockIdOf(block) };
}

/** The main thread supplies a block when the test says so. */
async function providing() {
  const requested: { readonly block: Block; readonly answer: PromiseWithResolvers<readonly SuppliedChunk[]> }[] = [];
  const request: RequestPayload = (_, block, signal) => {
    const answer = Promise.withResolvers<readonly SuppliedChunk[]>();
    signal.addEventListener('abort', () => answer.reject(signal.reason));
    requested.push({ block, answer });
    return answer.promise;
  };
  const machine = kept.newMachine();
  const provider = createChunkProvider({ request, chunks: await kept.open(machine) });
  const supply = (at: number) => {
    const { block, answer } = requested[at] as (typeof requested)[number];
    answer.resolve(block.payload.map(({ chunkId }) => largeChunk(chunkId[0] as number)));
  };
  const chunksOf = ({ blockId, block }: Made, signal = FOREVER) => provider.chunksOf(blockId, block, signal);
  return { machine, provider, requested, supply, chunksOf };
}

it('a payload survives the transfer over a channel', () => {
  const payload = [1, 2].map((n) => ({
    bytes: Uint8Array.of(n),
    verdicts: Uint8Array.of(n, n),
    ids: new Uint8Array(n),
    batches: packBatches([{ batchId: new Uint8Array(32).fill(n), isValid: n === 1 }]),
  }));
  expect(unpackPayload(packPayload(payload))).toEqual(payload);
  expect(unpackPayload(packPayload([]))).toEqual([]);
});

it('returns the chunks of a block in the order of its payload', async () => {
  const { chunksOf, requested, supply } = await providing();
  const chunks = chunksOf(made(1, 3, 1, 2));
  supply(0);
  expect((await chunks).map(({ producer }) => producer)).toEqual([3, 1, 2]);
  expect(requested).toHaveLength(1);
});

it('requests nothing for an empty block', async () => {
  const { chunksOf, requested } = await providing();
  expect(await chunksOf(made(1))).toEqual([]);
  expect(requested).toEqual([]);
});

it('retains the chunks of a block through a power cut, however many others arrived since', async () => {
  const { machine, provider, chunksOf, supply } = await providing();
  const first = made(1, 1);
  const chunks = chunksOf(first);
  supply(0);
  for (let at = 1; at < LARGE_CHUNKS; at++) {
    const others = chunksOf(made(1 + at, 1 + at));
    supply(at);
    await others;
  }
  await provider.keep(first.block, await chunks);
  machine.disk.crash('lose-all');
  machine.index.crash('lose-all');
  const again = await kept.open(machine);
  expect(await again.get(chunkId(1))).toEqual(largeChunk(1).bytes);
  expect(await again.get(chunkId(2))).toBeUndefined();
});

it('returns the chunks of a restarted block without a request', async () => {
  const { chunksOf, requested, supply } = await providing();
  const block = made(1, 1, 2);
  const before = chunksOf(block);
  supply(0);
  const [first, second] = await before;
  const again = await chunksOf(block);
  expect(again[0]).toBe(first);
  expect(again[1]).toBe(second);
  expect(requested).toHaveLength(1);
});

it('requests the chunks of a block again when more others arrived since than are shared', async () => {
  const { chunksOf, requested, supply } = await providing();
  for (let at = 0; at < LARGE_CHUNKS; at++) {
    const chunks = chunksOf(made(1 + at, 1 + at));
    supply(at);
    await chunks;
  }
  void chunksOf(made(1, 1)).catch(() => {});
  expect(requested).toHaveLength(LARGE_CHUNKS + 1);
});

it('stores the bytes of a chunk once for all rivals that name it', async () => {
  const { chunksOf, supply } = await providing();
  const [first, second] = [chunksOf(made(1, 1, 2)), chunksOf(made(1, 2, 3))];
  supply(0);
  supply(1);
  expect((await second)[0]).toBe((await first)[1]);
});

it('a rival with an unavailable chunk does not delay a block that shares its other chunk', async () => {
  const { chunksOf, supply } = await providing();
  const dropped = new AbortController();
  const hostile = chunksOf(made(1, 1, 2), dropped.signal);
  const honest = chunksOf(made(1, 1));
  supply(1);
  expect(await honest).toHaveLength(1);
  dropped.abort(new Error('its block is dropped'));
  await expect(hostile).rejects.toThrow('its block is dropped');
});

describe('a chunk with batches', () => {
  const ids = [1, 2].map((n) => new Uint8Array(32).fill(n));
  const batches = [batchBytes({ senders: [1] }), batchBytes({ senders: [2, 4] })];

  function chunkOf(...verdicts: readonly (boolean | undefined)[]): SuppliedChunk {
    const { bytes } = largeChunk(1);
    const { header, signature } = okOf(signedChunkCodec.decode(bytes));
    const body = chunkBodyCodec.encode({ transactions: [], batches });
    const judged = verdicts.map((isValid, i) => ({ batchId: ids[i] as Uint8Array, isValid }));
    const full = { ...header, bodyBytes: body.length, batchCount: 2, rowCount: 3 };
    return {
      bytes: signedChunkCodec.encode({ header: full, body, signature }),
      verdicts: new Uint8Array(0),
      ids: new Uint8Array(0),
      batches: packBatches(judged),
    };
  }

  const batchesOf = (chunks: readonly object[]) =>
    (chunks as readonly { readonly batches: Iterable<BlockBatch> }[]).flatMap(({ batches: each }) =>
      [...each].map(({ batch, batchId, isValid }) => [batch.rows.count, batchId[0], isValid]),
    );

  it('is opened with the verdict on each', async () => {
    const { chunksOf, requested } = await providing();
    const chunks = chunksOf(made(1, 1));
    requested[0]?.answer.resolve([chunkOf(true, false)]);
    expect(batchesOf(await chunks)).toEqual([
      [1, 1, true],
      [2, 2, false],
    ]);
  });

  it('is not shared with rivals while a batch was not judged for its block', async () => {
    const { chunksOf, requested } = await providing();
    const early = chunksOf(made(1, 1));
    requested[0]?.answer.resolve([chunkOf(true, undefined)]);
    expect(batchesOf(await early).map(([, , isValid]) => isValid)).toEqual([true, false]);
    const late = chunksOf(made(2, 1));
    expect(requested).toHaveLength(2);
    requested[1]?.answer.resolve([chunkOf(true, true)]);
    expect(batchesOf(await late).map(([, , isValid]) => isValid)).toEqual([true, true]);
  });
});

function okOf<T>(decoded: { readonly ok: true; readonly value: T } | { readonly ok: false }): T {
  if (!decoded.ok) throw new Error('a test chunk decodes');
  return decoded.value;
}
