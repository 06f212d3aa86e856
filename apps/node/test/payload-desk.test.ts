/** The desk where the executor gets a block's chunks: what it waits for, and for how long. */
import type { PayloadChunk } from '@slipstream/dissemination';
import {
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type ChunkId,
  type GenesisHash,
  genesisBlock,
  type Height,
  hexOf,
} from '@slipstream/types';
import { expect, it } from 'vitest';
import { createPayloadDesk } from '../src/assembly/application.ts';

const FOREVER = new AbortController().signal;

function made(
  height: number,
  chunk: number,
): { readonly id: BlockId; readonly block: Block; readonly chunkId: ChunkId } {
  const chunkId = asId<ChunkId>(new Uint8Array(32).fill(chunk));
  const payload = [{ chunkId, certificate: undefined }];
  const block = { ...genesisBlock(asId<GenesisHash>(new Uint8Array(32)), chunk), height: height as Height, payload };
  return { id: blockIdOf(block), block, chunkId };
}

/** Nobody has any chunk. */
function desk() {
  const wanted = new Map<string, AbortSignal>();
  const payloadOf = (blockId: BlockId, _block: Block, signal: AbortSignal): Promise<readonly PayloadChunk[]> => {
    wanted.set(hexOf(blockId), signal);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const waitsFor = (blockId: BlockId) => wanted.get(hexOf(blockId))?.aborted === false;
  return { desk: createPayloadDesk({ payloadOf }), waitsFor };
}

it('waits no longer for the chunks of a rival of what is committed, and says so to whoever asks for them', async () => {
  const { desk: payloads, waitsFor } = desk();
  const rival = made(7, 1);
  const next = made(8, 2);
  for (const { id, block } of [rival, next]) payloads.open(id, block);
  const asked = payloads.chunkOf(rival.chunkId, FOREVER);
  payloads.close(7);
  await expect(asked).rejects.toThrow('height 7 is committed');
  expect([rival, next].map(({ id }) => waitsFor(id))).toEqual([false, true]);
});

it('waits for nothing once it is stopped', () => {
  const { desk: payloads, waitsFor } = desk();
  const { id, block } = made(7, 1);
  payloads.open(id, block);
  payloads.stop();
  expect(waitsFor(id)).toBe(false);
});
