/** What a node serves to others: what consensus holds in memory, and what is on its disk. */
import type { Block, BlockId, Certificate, ChunkId, StateDigest, View } from '@slipstream/types';

/** The newest of the chain, as consensus holds it in memory. */
export interface ChainTip {
  blockById(id: BlockId): Block | undefined;
  certificatesInRange(from: View, to: View, limit: number): readonly Certificate[];
  /** Certificates that show a new follower where the chain is. */
  newestCertificates(limit: number): readonly Certificate[];
  finalizedHeight(): number;
}

/** What a node retains of the past: its ledger, and its chunks. */
export interface Archive {
  blockById(id: BlockId): Promise<Block | undefined>;
  /** Final blocks in a row from `from`, at most `limit`; with a finalization or state certificate of the last one. */
  finalizedRange(
    from: number,
    to: number,
    limit: number,
  ): Promise<{ readonly blocks: readonly Block[]; readonly certificates: readonly Certificate[] }>;
  /** Serialized signed chunk. */
  chunkById(id: ChunkId): Promise<Uint8Array | undefined>;
  /** A recent committed block's digest preimage and the parts of its segment, within the maxima of an answer. */
  segment?(id: BlockId): Promise<readonly Uint8Array[] | undefined>;
  /** Undefined: this node retains no snapshots. */
  readonly snapshots?: SnapshotArchive;
}

/** What a joining node is served (sync.md, "State sync"); each undefined when it is not here. */
export interface SnapshotArchive {
  manifest(): Promise<Uint8Array | undefined>;
  /** At most a chunk message's bytes. */
  piece(stateDigest: StateDigest, file: number, offset: number): Promise<Uint8Array | undefined>;
  /** Blocks from `from` on and what is packed of their receipts, within the maxima of an answer. */
  receipts(
    from: number,
    to: number,
  ): Promise<{ readonly blocks: readonly Block[]; readonly parts: readonly Uint8Array[] } | undefined>;
}
