/** What a node serves to others, from the memory of consensus and from disk. */
import type { Block, BlockId, Certificate, ChunkId, StateDigest, View } from '@slipstream/types';

/** The newest part of the chain, in the memory of consensus. */
export interface ChainTip {
  blockById(id: BlockId): Block | undefined;
  certificatesInRange(from: View, to: View, limit: number): readonly Certificate[];
  /** Certificates that show a new follower the current view and height. */
  newestCertificates(limit: number): readonly Certificate[];
  finalizedHeight(): number;
}

/** Retained blocks and chunks. */
export interface Archive {
  blockById(id: BlockId): Promise<Block | undefined>;
  /** Consecutive final blocks from `from`, at most `limit`, with a finalization or state certificate of the last one. */
  finalizedRange(
    from: number,
    to: number,
    limit: number,
  ): Promise<{ readonly blocks: readonly Block[]; readonly certificates: readonly Certificate[] }>;
  /** Serialized signed chunk. */
  chunkById(id: ChunkId): Promise<Uint8Array | undefined>;
  /** Digest preimage of a recent committed block and the parts of its segment, within the limits of an answer. */
  segment?(id: BlockId): Promise<readonly Uint8Array[] | undefined>;
  /** Undefined: this node retains no snapshots. */
  readonly snapshots?: SnapshotArchive;
}

/** What a joining node is served (sync.md, "State sync"); undefined when this node does not have it. */
export interface SnapshotArchive {
  manifest(): Promise<Uint8Array | undefined>;
  /** At most the bytes of a chunk message. */
  piece(stateDigest: StateDigest, file: number, offset: number): Promise<Uint8Array | undefined>;
  /** Blocks from `from` and their packed receipts, within the limits of an answer. */
  receipts(
    from: number,
    to: number,
  ): Promise<{ readonly blocks: readonly Block[]; readonly parts: readonly Uint8Array[] } | undefined>;
}
