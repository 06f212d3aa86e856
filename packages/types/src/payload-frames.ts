/** Chunks and forwarded transactions, read in place: most of a node's traffic. */
import { BooleanType, ByteListType, ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import type { TransactionId } from './ids.ts';
import { CHUNK_MESSAGE_BYTES_MAX, CHUNK_TRANSACTIONS_MAX, TRANSACTION_BYTES_MAX } from './limits.ts';
import { readByteLists, readFixedItems, readTail, readTwoTails } from './read-in-place.ts';
import { bytes32 } from './subject-wire.ts';

/** A serialized signed chunk, plain or as one zstd frame that declares its size; the caller has the decoder. Ids are over plain bytes. */
export interface ChunkFrame {
  readonly compressed: boolean;
  readonly bytes: Uint8Array;
}

export interface TransactionsFrame {
  readonly transactions: readonly Uint8Array[];
  /** Clients wait for their attestation: of this frame, or sent before. */
  readonly awaited: readonly TransactionId[];
}

const chunkFrameType = new ContainerType({
  compressed: new BooleanType(),
  bytes: new ByteListType(CHUNK_MESSAGE_BYTES_MAX),
});

/** The compressed flag and the bytes' offset. */
const CHUNK_FRAME_FIXED_BYTES = 1 + 4;

export const chunkFrameCodec = createCodec<ChunkFrame>(
  'chunk frame',
  chunkFrameType,
  chunkFrameType.maxSize,
  undefined,
  (frame) => {
    const bytes = readTail(frame, 1, CHUNK_FRAME_FIXED_BYTES);
    const compressed = frame[0];
    if (bytes === undefined || compressed === undefined || compressed > 1) return undefined;
    return bytes.length > CHUNK_MESSAGE_BYTES_MAX ? undefined : { compressed: compressed === 1, bytes };
  },
);

/** In one frame. A full node forwards every 25 ms, so this is 10,000 waiting clients per second. */
export const AWAITED_TRANSACTIONS_MAX = 256;
const ID_BYTES = 32;

const transactionsType = new ContainerType({
  transactions: new ListCompositeType(new ByteListType(TRANSACTION_BYTES_MAX), CHUNK_TRANSACTIONS_MAX),
  awaited: new ListCompositeType(bytes32, AWAITED_TRANSACTIONS_MAX),
});

export const TRANSACTIONS_FRAME_BYTES_MAX = 512 * 1024;

export const transactionsCodec = createCodec<TransactionsFrame>(
  'transactions',
  transactionsType,
  TRANSACTIONS_FRAME_BYTES_MAX + TRANSACTION_BYTES_MAX + AWAITED_TRANSACTIONS_MAX * ID_BYTES,
  undefined,
  (frame) => {
    const parts = readTwoTails(frame);
    if (parts === undefined) return undefined;
    const limits = { itemsMax: CHUNK_TRANSACTIONS_MAX, itemBytesMax: TRANSACTION_BYTES_MAX };
    const transactions = readByteLists(parts[0], limits);
    const awaited = readFixedItems(parts[1], { itemsMax: AWAITED_TRANSACTIONS_MAX, itemBytes: ID_BYTES });
    return transactions && awaited && { transactions, awaited: awaited as readonly TransactionId[] };
  },
);
