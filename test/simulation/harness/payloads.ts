/**
 * Payloads of a simulated validator's blocks: either random chunks (chunk-store.ts) or the real dissemination (disseminating.ts).
 */
import type { PayloadVerdict } from '@slipstream/consensus';
import type { KeyValue, KeyValueOperation, PeerKey, Signer, Verifier } from '@slipstream/ports';
import { concatBytes, utf8 } from '@slipstream/primitives';
import type { NodeWorld } from '@slipstream/simulator';
import { asId, type Block, type BlockId, type ChunkId, type ChunkReference, ID_BYTES } from '@slipstream/types';
import type { SignState, Wal, WalRecord } from '@slipstream/wal';
import type { ConnectedConsensus } from '../../../apps/node/src/assembly/connect-consensus.ts';
import type { DisseminationFrameName } from '../../../apps/node/src/assembly/frame-router.ts';
import type { SimulatedChain } from './committee.ts';
import type { Workload } from './workload.ts';

export interface PayloadsOfNode {
  build(request: { readonly parentId: BlockId; readonly timestampMs: number }): Promise<readonly ChunkReference[]>;
  check(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict>;
  /** Resolves once every chunk is here and in the log. Execution depends on it and on the ancestry. */
  content(blockId: BlockId, block: Block): Promise<Uint8Array>;
  hasPending(): boolean;
  onFrame(from: PeerKey, name: DisseminationFrameName, frame: Uint8Array): void;
  /** Serialized, for peers that request it. */
  get(id: ChunkId): Promise<Uint8Array | undefined>;
  /** Operations that move the block's chunks into the ledger. */
  commitOf(block: Block): Promise<readonly KeyValueOperation[]>;
  /** The whole block is in the ledger now. */
  committed(blockId: BlockId, block: Block): void;
  /** Whether every chunk of the block is here. */
  has(block: Block): boolean;
  /** Whether it serves this chunk, for chunks in no block of the ledger. */
  holds(id: ChunkId): boolean;
  /** Bytes of chunks in no block of the ledger. */
  keptBytes(): number;
  /** First log sequence that must be retained. */
  readonly logFloor: number;
}

export interface PayloadSurroundings {
  readonly world: NodeWorld;
  readonly chain: SimulatedChain;
  /** Undefined for a full node. */
  readonly self: number | undefined;
  readonly signer: Signer;
  readonly verifier: Verifier;
  readonly ledger: KeyValue;
  /** Newest first, as many as any check may depend on. */
  readonly committedBlocks: readonly { readonly blockId: BlockId; readonly block: Block }[];
  readonly wal: Wal;
  readonly signState: SignState;
  /** Chunks from the log, and the headers of own ones. */
  readonly restored: readonly Pick<WalRecord, 'kind' | 'sequence' | 'payload'>[];
  /** Whether there is always something to include. */
  readonly busy: boolean;
  /** Contents of chunks; undefined: random bytes. */
  readonly workload: Workload | undefined;
  /** Created later; undefined until then. */
  connected(): ConnectedConsensus | undefined;
}

export type OpenPayloads = (surroundings: PayloadSurroundings) => Promise<PayloadsOfNode>;

const CHUNKS = utf8('c');
/** Key of a chunk in the ledger. */
export const chunkKey = (id: ChunkId): Uint8Array => concatBytes(CHUNKS, id);
export const isChunkKey = (key: Uint8Array): boolean => key.length === CHUNKS.length + ID_BYTES && key[0] === CHUNKS[0];
export const idIn = (key: Uint8Array): ChunkId => asId<ChunkId>(key.slice(CHUNKS.length));

/** Writes of a block's commit for its chunks that are here. */
export async function putsOf(
  { payload }: Pick<Block, 'payload'>,
  get: (id: ChunkId) => Promise<Uint8Array | undefined>,
): Promise<KeyValueOperation[]> {
  const operations: KeyValueOperation[] = [];
  for (const { chunkId } of payload) {
    const bytes = await get(chunkId);
    if (bytes) operations.push({ type: 'put', key: chunkKey(chunkId), value: bytes });
  }
  return operations;
}
