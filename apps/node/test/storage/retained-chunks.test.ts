import { silentTelemetry } from '@slipstream/ports';
import { sha256 } from '@slipstream/primitives';
import { BLS_SIGNATURE_BYTES, type ChunkId, chunkIdOf, signedChunkCodec } from '@slipstream/types';
import { expect, test } from 'vitest';
import { chunkHeader } from '../../../../packages/types/test/chunk-header.ts';
import { createRetainedChunks } from '../../src/storage/retained-chunks.ts';

const body = new Uint8Array(40).fill(5);
const header = chunkHeader(body, { producer: 1, bodyHash: sha256(body), transactionCount: 1 });
const signature = new Uint8Array(BLS_SIGNATURE_BYTES).fill(9);
const bytes = signedChunkCodec.encode({ header, body, signature });
const id = chunkIdOf(header);

const load = (stored: Uint8Array | undefined, chunkId: ChunkId = id) =>
  createRetainedChunks({ get: async () => stored }, silentTelemetry)(chunkId);

test('a chunk on disk is served as it was stored', async () => {
  expect(await load(bytes)).toEqual(bytes);
  expect(await load(undefined)).toBeUndefined();
});

test('a chunk with a wrong bit outside its signature is not served: peers would block this node', async () => {
  const signatureAt = bytes.length - body.length - BLS_SIGNATURE_BYTES;
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const at = bit >> 3;
    if (at >= signatureAt && at < signatureAt + BLS_SIGNATURE_BYTES) continue;
    const damaged = bytes.slice();
    damaged[at] = (damaged[at] as number) ^ (1 << (bit & 7));
    expect(await load(damaged)).toBeUndefined();
  }
  expect(await load(bytes, sha256(body) as ChunkId)).toBeUndefined();
});
