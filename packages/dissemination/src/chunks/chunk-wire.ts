/**
 * Chunk wire: a chunk's frame, compressed where that is smaller, opened within bounds.
 *
 *   bytes --compress once--> frame, shared by all peers        frame --declared size, ratio--> bytes
 *
 * A chunk that would expand by more than expansionMax is sent uncompressed, so receivers refuse higher ratios.
 */

import type { Compression } from '@slipstream/ports';
import { type Durable, fail, type OutgoingFrame, ok, type Result } from '@slipstream/primitives';
import { CHUNK_MESSAGE_BYTES_MAX, type ChunkId, FRAMES, outgoingFrame } from '@slipstream/types';
import type { DisseminationLimits } from '../limits.ts';

export interface ChunkWire {
  /** An own chunk's. */
  frameOf(chunkId: Durable<ChunkId>, chunkBytes: Uint8Array): OutgoingFrame;
  /** A copy. A chunk above `roomBytes` (default: none is) is judged by its frame, not decompressed. */
  open(frame: Uint8Array, roomBytes?: number): Result<Uint8Array, FrameFault>;
}

interface FrameFault {
  readonly type: 'malformed' | 'no-room';
  readonly detail: string;
}

export function createChunkWire(
  compression: Compression | undefined,
  { expansionMax }: Pick<DisseminationLimits, 'expansionMax'>,
): ChunkWire {
  function frameOf(chunkId: Durable<ChunkId>, chunkBytes: Uint8Array): OutgoingFrame {
    const packed = compression?.compress(chunkBytes);
    const pays = packed !== undefined && packed.length < chunkBytes.length;
    if (!pays || chunkBytes.length > packed.length * expansionMax) {
      return outgoingFrame('chunk', { chunkId, compressed: false, bytes: chunkBytes });
    }
    return outgoingFrame('chunk', { chunkId, compressed: true, bytes: packed });
  }

  function open(frame: Uint8Array, roomBytes = CHUNK_MESSAGE_BYTES_MAX): Result<Uint8Array, FrameFault> {
    if (frame[0] !== FRAMES.chunk.kind || frame.length > FRAMES.chunk.bytesMax) return malformed('not a chunk frame');
    const decoded = FRAMES.chunk.codec.decode(frame.subarray(1));
    if (!decoded.ok) return malformed(decoded.error.message);
    const { compressed, bytes } = decoded.value;
    if (!compressed && bytes.length > roomBytes) {
      return fail({ type: 'no-room', detail: `${bytes.length} bytes, and room for ${roomBytes}` });
    }
    if (!compressed) return ok(bytes.slice()); // a view would keep the frame in memory
    if (compression === undefined) return malformed('compressed, and this node has no decoder');
    const limits = { bytesMax: CHUNK_MESSAGE_BYTES_MAX, ratioMax: expansionMax, roomBytes };
    const opened = compression.decompress(bytes, limits);
    if (opened.ok) return opened;
    const { code, message } = opened.error;
    return code === 'no-room' ? fail({ type: 'no-room', detail: message }) : malformed(message);
  }

  return { frameOf, open };
}

function malformed(detail: string): Result<never, FrameFault> {
  return fail({ type: 'malformed', detail });
}
