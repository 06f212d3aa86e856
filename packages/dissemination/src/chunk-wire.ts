/**
 * Chunk wire: a chunk's frame, compressed where that pays, opened safely.
 *
 *   bytes --compress once--> frame, shared by all peers        frame --declared size, ratio--> bytes
 *
 * A chunk that grows by more than expansionMax when it is opened is sent as it is: so a receiver may hold every compressed
 * one to that ratio, and an honest producer of, say, zeros is not taken for one of bombs.
 */
import { fail, ok, type Result } from '@slipstream/primitives';
import { CHUNK_MESSAGE_BYTES_MAX, encodeFrame, FRAMES } from '@slipstream/types';
import type { Compression } from './components.ts';
import type { DisseminationLimits } from './limits.ts';

export interface ChunkWire {
  frameOf(chunkBytes: Uint8Array): Uint8Array;
  /** The serialized signed chunk, in memory of its own; the message says what is wrong with the frame. */
  open(frame: Uint8Array): Result<Uint8Array, string>;
}

export function createChunkWire(
  compression: Compression | undefined,
  { expansionMax }: Pick<DisseminationLimits, 'expansionMax'>,
): ChunkWire {
  function frameOf(chunkBytes: Uint8Array): Uint8Array {
    const packed = compression?.compress(chunkBytes);
    const pays = packed !== undefined && packed.length < chunkBytes.length;
    if (!pays || chunkBytes.length > packed.length * expansionMax) {
      return encodeFrame('chunk', { compressed: false, bytes: chunkBytes });
    }
    return encodeFrame('chunk', { compressed: true, bytes: packed });
  }

  function open(frame: Uint8Array): Result<Uint8Array, string> {
    if (frame[0] !== FRAMES.chunk.kind || frame.length > FRAMES.chunk.bytesMax) return fail('not a chunk frame');
    const decoded = FRAMES.chunk.codec.decode(frame.subarray(1));
    if (!decoded.ok) return fail(decoded.error.message);
    const { compressed, bytes } = decoded.value;
    if (!compressed) return ok(bytes.slice()); // a view would keep the frame in memory
    if (compression === undefined) return fail('compressed, and this node has no decoder');
    const opened = compression.decompress(bytes, { bytesMax: CHUNK_MESSAGE_BYTES_MAX, ratioMax: expansionMax });
    return opened.ok ? opened : fail(opened.error.message);
  }

  return { frameOf, open };
}
