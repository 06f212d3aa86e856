import type { Block, BlockId, Certificate, ChunkId, StateDigest, View } from '@slipstream/types';

/** The newest part of the chain, in consensus' memory. */
export interface ChainTip {
  blockById(id: BlockId): Block | undefined;
  certificatesInRange(from: View, to: View, limit: number): readonly Certificate[];
  /** They show a new follower the current view and height. */
  newestCertificates(limit: number): readonly Certificate[];
  finalizedHeight(): number;
}

export interface Archive {
  blockById(id: BlockId): Promise<Block | undefined>;
  /**
   * Consecutive and of one epoch, from `from`, with a finalization or state certificate of the last one. The last block of an epoch comes with
   * the fillers that make it final.
   */
  finalizedRange(
    from: number,
    to: number,
    limit: number,
  ): Promise<{ readonly blocks: readonly Block[]; readonly certificates: readonly Certificate[] }>;
  /** Serialized signed chunk. */
  chunkById(id: ChunkId): Promise<Uint8Array | undefined>;
  /** Digest preimage of a recent committed block and its segment's parts, within an answer's limits. */
  segment?(id: BlockId): Promise<readonly Uint8Array[] | undefined>;
  /**
   * A piece of an artifact that the chain names, from a byte on: ARTIFACT_PIECE_BYTES, or the rest. Undefined: not here, or not named; found
   * out without a read, since a request costs its sender nothing.
   */
  artifact?(hash: Uint8Array, from: number): ServedPiece | undefined;
  /** From the first epoch asked for (epochs.ts). */
  epochs?(from: number, to: number): Promise<ServedEpochs>;
  /** Undefined: no snapshots are retained. */
  readonly snapshots?: SnapshotArchive;
}

interface ServedPiece {
  readonly bytes: Uint8Array;
  readonly more: boolean;
}

export interface ServedEpochs {
  /** epochEntriesCodec; undefined: the first one asked for is not here. */
  readonly bytes: Uint8Array | undefined;
  /** Cut at a limit. */
  readonly more: boolean;
}

/** For a joining node (sync.md, "State sync"); undefined: not here. */
export interface SnapshotArchive {
  manifest(): Promise<Uint8Array | undefined>;
  /** At most the bytes of a chunk message. */
  piece(stateDigest: StateDigest, file: number, offset: number): Promise<Uint8Array | undefined>;
  /** From `from`, with packed receipts, within an answer's limits. */
  receipts(
    from: number,
    to: number,
  ): Promise<{ readonly blocks: readonly Block[]; readonly parts: readonly Uint8Array[] } | undefined>;
}
