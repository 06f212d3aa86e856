import type { NodeWorld } from '@slipstream/simulator';
import type { Block, BlockId, StateDigest } from '@slipstream/types';

export interface Workload {
  readonly chunkBytesMax: number;
  makeChunk(random: Pick<NodeWorld['random'], 'bytes'>): Uint8Array;
  /** Parents may still be executing. */
  execute(blockId: BlockId, block: Block, chunks: readonly Uint8Array[]): Promise<StateDigest>;
}
