/**
 * What the blocks of a simulated validator are made of: its application asks, and either random chunks (chunk-store.ts) or the real
 * dissemination (disseminating.ts) answers.
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
  /** Settles once every chunk is here and in the log: what executing the block depends on beside its ancestry. */
  content(blockId: BlockId, block: Block): Promise<Uint8Array>;
  hasPending(): boolean;
  onFrame(from: PeerKey, name: DisseminationFrameName, frame: Uint8Array): void;
  /** Serialized, for peers that ask. */
  get(id: ChunkId): Promise<Uint8Array | undefined>;
  /** What moves the block's chunks into the ledger. */
  commitOf(block: Block): Promise<readonly KeyValueOperation[]>;
  /** Everything of the block is in the ledger now. */
  committed(blockId: BlockId, block: Block): void;
  /** Whether every chunk of the block is here. */
  has(block: Block): boolean;
  /** Whether it serves this chunk, as far as it is in no block of the ledger. */
  holds(id: ChunkId): boolean;
  /** Bytes of chunks that are in no block of the ledger. */
  keptBytes(): number;
  /** The log must be kept from here on. */
  readonly logFloor: number;
}

export interface PayloadSurroundings {
  readonly world: NodeWorld;
  readonly chain: SimulatedChain;
  /** Undefined: follows without voting. */
  readonly self: number | undefined;
  readonly signer: Signer;
  readonly verifier: Verifier;
  readonly ledger: KeyValue;
  /** Newest first, as many as anything may depend on. */
  readonly committedBlocks: readonly { readonly blockId: BlockId; readonly block: Block }[];
  readonly wal: Wal;
  readonly signState: SignState;
  /** Chunks that the log gave back, and the headers of own ones. */
  readonly restored: readonly Pick<WalRecord, 'kind' | 'sequence' | 'payload'>[];
  /** Whether there is always something to include. */
  readonly busy: boolean;
  /** What chunks hold; undefined: random bytes. */
  readonly workload: Workload | undefined;
  /** Made after this, and asked by it. */
  connected(): ConnectedConsensus | undefined;
}

export type OpenPayloads = (surroundings: PayloadSurroundings) => Promise<PayloadsOfNode>;

const CHUNKS = utf8('c');
/** Where the ledger keeps a chunk. */
export const chunkKey = (id: ChunkId): Uint8Array => concatBytes(CHUNKS, id);
export const isChunkKey = (key: Uint8Array): boolean => key.length === CHUNKS.length + ID_BYTES && key[0] === CHUNKS[0];
export const idIn = (key: Uint8Array): ChunkId => asId<ChunkId>(key.slice(CHUNKS.length));

/** What a block's commit writes for the chunks that it names, of those that are here. */
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
