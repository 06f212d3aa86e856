/** Blocks. blockId = SHA-256 of the header, which no vote enters: a child can be proposed before its parent is notarized. */
import { ContainerType, createCodec, ListCompositeType, sha256 } from '@slipstream/primitives';
import {
  type ChunkReference,
  type ChunkReferenceWire,
  chunkReferenceFromWire,
  chunkReferenceToWire,
  chunkReferenceType,
} from './chunk.ts';
import type { BlockId, Epoch, GenesisHash, Height, RecordHash, View } from './ids.ts';
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
  /** Closes the epoch: the record of the next one. On a boundary block and on the fillers above it. */
  readonly next: RecordHash | undefined;
}

interface BlockWire extends Omit<Block, 'payload' | 'epoch' | 'next'> {
  readonly epoch: number;
  readonly payload: readonly ChunkReferenceWire[];
  readonly next: readonly Uint8Array[];
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
  next: new ListCompositeType(bytes32, 1),
});

export function blockToWire(block: Block): BlockWire {
  const { payload, next } = block;
  return { ...block, payload: payload.map(chunkReferenceToWire), next: next === undefined ? [] : [next] };
}

export function blockFromWire(wire: BlockWire): Block {
  const payload = wire.payload.map(chunkReferenceFromWire);
  return { ...wire, epoch: epoch(wire.epoch), payload, next: wire.next[0] as RecordHash | undefined };
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
    next: undefined,
  };
}
