import type { Compression } from '@slipstream/ports';
import { declareDurable, fail, ok } from '@slipstream/primitives';
import { asId, type ChunkId, encodeFrame, FRAMES } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createChunkWire } from '../../src/chunks/chunk-wire.ts';
import { createTestNetwork, peerKey } from '../harness/network.ts';

/** Run-length coding of one repeated byte: four bytes of length, one of value. Other input grows. */
const runs: Compression = {
  compress(bytes) {
    if (!bytes.every((byte) => byte === bytes[0])) return new Uint8Array([...bytes, 0]);
    const packed = new Uint8Array(5);
    new DataView(packed.buffer).setUint32(0, bytes.length, true);
    packed[4] = bytes[0] ?? 0;
    return packed;
  },
  decompress(bytes, { bytesMax, ratioMax, roomBytes }) {
    const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    if (size > bytesMax || size > bytes.length * ratioMax) return fail({ code: 'oversize', message: 'too large' });
    if (size > roomBytes) return fail({ code: 'no-room', message: 'no room' });
    return ok(new Uint8Array(size).fill(bytes[4] ?? 0));
  },
};
const LOGGED_ID = declareDurable(asId<ChunkId>(new Uint8Array(32)));
const wire = createChunkWire(runs, { expansionMax: 64 });

function isCompressed(frame: Uint8Array): boolean {
  const decoded = FRAMES.chunk.codec.decode(frame.subarray(1));
  return decoded.ok && decoded.value.compressed;
}

describe('a chunk on the wire', () => {
  it.each([
    ['compressed when that is smaller', new Uint8Array(300).fill(7), true],
    ['uncompressed when compression would grow it', new Uint8Array([1, 2, 3]), false],
    ['uncompressed when a receiver would reject it as a bomb', new Uint8Array(5 * 64 + 1), false],
  ])('%s survives a round trip', (_, bytes, compressed) => {
    const frame = wire.frameOf(LOGGED_ID, bytes);
    expect(isCompressed(frame)).toBe(compressed);
    expect(wire.open(frame)).toEqual(ok(bytes));
  });

  it('is rejected when it decompresses beyond its maximum, is no chunk frame, or cannot be decompressed', () => {
    const bomb = new Uint8Array(5);
    new DataView(bomb.buffer).setUint32(0, 1_000_000, true);
    expect(wire.open(encodeFrame('chunk', { compressed: true, bytes: bomb })).ok).toBe(false);
    expect(wire.open(encodeFrame('chunk', { compressed: true, bytes: bomb }), 10)).toMatchObject({
      error: { type: 'malformed' },
    });
    expect(wire.open(new Uint8Array([5, 1])).ok).toBe(false);
    expect(wire.open(new Uint8Array([6, 2, 0])).ok).toBe(false);
    expect(createChunkWire(undefined, { expansionMax: 64 }).open(wire.frameOf(LOGGED_ID, new Uint8Array(300))).ok).toBe(
      false,
    );
  });

  it('blocks its sender when it is a decompression bomb', async () => {
    const network = createTestNetwork({ overrides: { compression: runs } });
    const bomb = new Uint8Array([255, 255, 255, 255, 0]);
    void network.node(0).dissemination.onChunk(peerKey(1), encodeFrame('chunk', { compressed: true, bytes: bomb }));
    await network.pass();
    expect(network.node(0).offences).toMatchObject([{ peer: peerKey(1), reason: 'malformed-frame' }]);
    expect(network.node(0).dissemination.stats().drops).toEqual({ 'chunk-malformed': 1 });
  });
});
