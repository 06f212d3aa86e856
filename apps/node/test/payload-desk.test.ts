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
  payloadRootOf,
} from '@slipstream/types';
import { expect, it } from 'vitest';
import { createPayloadDesk } from '../src/assembly/application.ts';

const FOREVER = new AbortController().signal;

function made(height: number, ...chunks: readonly number[]): { readonly id: BlockId; readonly block: Block } {
  const payload = chunks.map((chunk) => ({ chunkId: chunkId(chunk), certificate: undefined }));
  const genesis = genesisBlock(asId<GenesisHash>(new Uint8Array(32)), chunks.length);
  const block = { ...genesis, height: height as Height, payload, payloadRoot: payloadRootOf(payload) };
  return { id: blockIdOf(block), block };
}

/** On a parent that no open block has. */
const committedAt = (height: number) => ({
  height: height as Height,
  parentId: asId<BlockId>(new Uint8Array(32).fill(9)),
});
const chunkId = (number: number): ChunkId => asId<ChunkId>(new Uint8Array(32).fill(number));
const chunk = (number: number): PayloadChunk => ({ producer: 0, bytes: Uint8Array.of(number), ids: [], verdicts: [] });

/** Nobody has any chunk, unless the test brings a block's. */
function desk() {
  const wanted = new Map<string, PromiseWithResolvers<readonly PayloadChunk[]> & { readonly signal: AbortSignal }>();
  const payloadOf = (blockId: BlockId, _block: Block, signal: AbortSignal): Promise<readonly PayloadChunk[]> => {
    const asked = { ...Promise.withResolvers<readonly PayloadChunk[]>(), signal };
    wanted.set(hexOf(blockId), asked);
    signal.addEventListener('abort', () => asked.reject(signal.reason));
    return asked.promise;
  };
  return {
    desk: createPayloadDesk({ payloadOf }),
    waitsFor: (blockId: BlockId) => wanted.get(hexOf(blockId))?.signal.aborted === false,
    bring: (blockId: BlockId, ...chunks: readonly number[]) => wanted.get(hexOf(blockId))?.resolve(chunks.map(chunk)),
    fail: (blockId: BlockId, error: Error) => wanted.get(hexOf(blockId))?.reject(error),
  };
}

it('waits no longer for the chunks of a rival of what is committed, and says so to whoever asks for them', async () => {
  const { desk: payloads, waitsFor } = desk();
  const rival = made(7, 1);
  const next = made(8, 2);
  for (const { id, block } of [rival, next]) payloads.open(id, block);
  const asked = payloads.chunkOf(chunkId(1), FOREVER);
  payloads.close(committedAt(7));
  await expect(asked).rejects.toThrow('height 7 is committed');
  expect([rival, next].map(({ id }) => waitsFor(id))).toEqual([false, true]);
});

it('waits no longer for the chunks of another child of the parent, whatever height that one claims', () => {
  const { desk: payloads, waitsFor } = desk();
  const hostile = made(2 ** 50, 1);
  payloads.open(hostile.id, hostile.block);
  payloads.close(committedAt(6));
  expect(waitsFor(hostile.id)).toBe(true);
  payloads.close({ ...committedAt(7), parentId: hostile.block.parentId });
  expect(waitsFor(hostile.id)).toBe(false);
});

it('waits for nothing once it is stopped', () => {
  const { desk: payloads, waitsFor } = desk();
  const { id, block } = made(7, 1);
  payloads.open(id, block);
  payloads.stop();
  expect(waitsFor(id)).toBe(false);
});

it('gives a chunk that a rival names beside one that nobody has', async () => {
  const { desk: payloads, bring } = desk();
  const sound = made(7, 1);
  const hostile = made(7, 1, 2);
  for (const { id, block } of [sound, hostile]) payloads.open(id, block);
  bring(sound.id, 1);
  expect((await payloads.chunkOf(chunkId(1), FOREVER)).bytes).toEqual(Uint8Array.of(1));
});

it('gives a chunk that was asked for before the block that brings it was opened', async () => {
  const { desk: payloads, bring, fail } = desk();
  const [withheld, honest] = [made(7, 1, 2), made(7, 1)];
  payloads.open(withheld.id, withheld.block);
  const asked = payloads.chunkOf(chunkId(1), FOREVER);
  payloads.open(honest.id, honest.block);
  fail(withheld.id, new Error('nobody has it'));
  bring(honest.id, 1);
  expect((await asked).bytes).toEqual(Uint8Array.of(1));
});

it('lets go of whoever gives up', async () => {
  const { desk: payloads } = desk();
  const { id, block } = made(7, 1);
  payloads.open(id, block);
  const caller = new AbortController();
  const asked = payloads.chunkOf(chunkId(1), caller.signal);
  caller.abort(new Error('its block is dropped'));
  await expect(asked).rejects.toThrow('its block is dropped');
});

it('gathers a block anew when it failed, for instance because the verifier was full', async () => {
  const { desk: payloads, bring, fail } = desk();
  const { id, block } = made(7, 1);
  payloads.open(id, block);
  fail(id, new Error('full'));
  await expect(payloads.chunkOf(chunkId(1), FOREVER)).rejects.toThrow('full');
  const again = payloads.chunkOf(chunkId(1), FOREVER);
  bring(id, 1);
  expect((await again).bytes).toEqual(Uint8Array.of(1));
});

it('knows a chunk as long as any open block names it', async () => {
  const { desk: payloads, bring } = desk();
  const [below, above] = [made(7, 1, 2), made(8, 1)];
  for (const { id, block } of [above, below]) payloads.open(id, block);
  bring(above.id, 1);
  payloads.close(committedAt(7));
  expect((await payloads.chunkOf(chunkId(1), FOREVER)).bytes).toEqual(Uint8Array.of(1));
  payloads.close(committedAt(8));
  await expect(payloads.chunkOf(chunkId(1), FOREVER)).rejects.toThrow('of no block that is being executed');
});
