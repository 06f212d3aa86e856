/** Random chunks (chunk-store.ts), or the real dissemination (disseminating.ts). */
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
  /** Resolves once every chunk is here and logged. Execution depends on it and on the ancestry. */
  content(blockId: BlockId, block: Block): Promise<Uint8Array>;
  hasPending(): boolean;
  onFrame(from: PeerKey, name: DisseminationFrameName, frame: Uint8Array): void;
  /** Serialized. */
  get(id: ChunkId): Promise<Uint8Array | undefined>;
  /** They move the block's chunks into the ledger. */
  commitOf(block: Block): Promise<readonly KeyValueOperation[]>;
  /** The whole block is in the ledger. */
  committed(blockId: BlockId, block: Block): void;
  has(block: Block): boolean;
  /** Serves this chunk, which is in no ledger block. */
  holds(id: ChunkId): boolean;
  /** Of chunks in no ledger block. */
  retainedBytes(): number;
  /** First sequence to retain. */
  readonly logFloor: number;
}

export interface PayloadSurroundings {
  readonly world: NodeWorld;
  readonly chain: SimulatedChain;
  /** Undefined: full node. */
  readonly self: number | undefined;
  readonly signer: Signer;
  readonly verifier: Verifier;
  readonly ledger: KeyValue;
  /** Newest first, as many as any check depends on. */
  readonly committedBlocks: readonly { readonly blockId: BlockId; readonly block: Block }[];
  readonly wal: Wal;
  readonly signState: SignState;
  /** From the log; headers of own chunks. */
  readonly restored: readonly Pick<WalRecord, 'kind' | 'sequence' | 'payload'>[];
  /** There is always something to include. */
  readonly busy: boolean;
  /** Undefined: random bytes. */
  readonly workload: Workload | undefined;
  /** Undefined until created. */
  connected(): ConnectedConsensus | undefined;
}

export type OpenPayloads = (surroundings: PayloadSurroundings) => Promise<PayloadsOfNode>;

const CHUNKS = utf8('c');
export const chunkKey = (id: ChunkId): Uint8Array => concatBytes(CHUNKS, id);
export const isChunkKey = (key: Uint8Array): boolean => key.length === CHUNKS.length + ID_BYTES && key[0] === CHUNKS[0];
export const idIn = (key: Uint8Array): ChunkId => asId<ChunkId>(key.slice(CHUNKS.length));

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
