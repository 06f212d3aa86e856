/** Blocks. blockId = SHA-256 of the header, which no vote enters: a child can be proposed before its parent is notarized. */
import { ContainerType, createCodec, ListCompositeType, sha256 } from '@slipstream/primitives';
import {
  type ChunkReference,
  type ChunkReferenceWire,
  chunkReferenceFromWire,
  chunkReferenceToWire,
  chunkReferenceType,
} from './chunk.ts';
import type { BlockId, Epoch, GenesisHash, Height, View } from './ids.ts';
import { asId, epoch, GENESIS_EPOCH, height, view } from './ids.ts';
import { BLOCK_BYTES_MAX, BLOCK_CHUNKS_MAX } from './limits.ts';
import { merkleRoot } from './merkle.ts';
import { bytes32, uint16, uint32, uint53 } from './subject-wire.ts';

export interface Block {
  readonly epoch: Epoch;
  readonly view: View;
  readonly height: Height;
  readonly parentId: BlockId;
  readonly parentView: View;
  /** ms since 1970, by the proposer's clock; after its parent's. */
  readonly timestampMs: number;
  /** The view's leader. */
  readonly proposer: number;
  readonly payload: readonly ChunkReference[];
  /** Merkle root over the chunk ids, for short proofs. */
  readonly payloadRoot: Uint8Array;
}

interface BlockWire extends Omit<Block, 'payload' | 'epoch'> {
  readonly epoch: number;
  readonly payload: readonly ChunkReferenceWire[];
}

export const blockType = new ContainerType({
  epoch: uint32,
  view: uint53,
  height: uint53,
  parentId: bytes32,
  parentView: uint53,
  timestampMs: uint53,
  proposer: uint16,
  payload: new ListCompositeType(chunkReferenceType, BLOCK_CHUNKS_MAX),
  payloadRoot: bytes32,
});

export function blockToWire(block: Block): BlockWire {
  return { ...block, payload: block.payload.map(chunkReferenceToWire) };
}

export function blockFromWire(wire: BlockWire): Block {
  return { ...wire, epoch: epoch(wire.epoch), payload: wire.payload.map(chunkReferenceFromWire) };
}

export const blockCodec = createCodec<Block, BlockWire>('block', blockType, BLOCK_BYTES_MAX, {
  toWire: blockToWire,
  fromWire: blockFromWire,
});

export function blockIdOf(block: Block): BlockId {
  return asId<BlockId>(sha256(blockCodec.encode(block)));
}

export function payloadRootOf(payload: readonly ChunkReference[]): Uint8Array {
  return merkleRoot(payload.map((reference) => reference.chunkId));
}

/** Notarized and final by definition. The parent id is the genesis hash, so the block differs on every chain. */
export function genesisBlock(genesisHash: GenesisHash, timestampMs: number): Block {
  return {
    epoch: GENESIS_EPOCH,
    view: view(0),
    height: height(0),
    parentId: asId<BlockId>(genesisHash),
    parentView: view(0),
    timestampMs,
    proposer: 0,
    payload: [],
    payloadRoot: payloadRootOf([]),
  };
}
