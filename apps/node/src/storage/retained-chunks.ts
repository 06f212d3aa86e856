/**
 * Chunks of committed blocks, from disk: a damaged one is logged and counts as missing. A damaged entry of the index in LevelDB may
 * lead to the intact record of another chunk, and a peer that gets a wrong chunk blocks this node.
 */
import type { ChunkReader } from '@slipstream/chunk-files';
import type { Telemetry } from '@slipstream/ports';
import { bytesEqual, sha256, to0x } from '@slipstream/primitives';
import { type ChunkId, chunkIdOf, signedChunkCodec } from '@slipstream/types';

type LoadChunk = (chunkId: ChunkId) => Promise<Uint8Array | undefined>;

export function createRetainedChunks(chunks: ChunkReader, telemetry: Telemetry): LoadChunk {
  return async (chunkId) => {
    const bytes = await chunks.get(chunkId);
    if (bytes === undefined || isChunk(bytes, chunkId)) return bytes;
    telemetry.log('error', `chunk ${to0x(chunkId)} is damaged on this disk: peers get it from other nodes`, {});
    return undefined;
  };
}

/** Does not check the signature, which is checked where it proves an offence. */
function isChunk(bytes: Uint8Array, chunkId: ChunkId): boolean {
  const decoded = signedChunkCodec.decode(bytes);
  if (!decoded.ok) return false;
  const { header, body } = decoded.value;
  return bytesEqual(chunkIdOf(header), chunkId) && bytesEqual(sha256(body), header.bodyHash);
}
