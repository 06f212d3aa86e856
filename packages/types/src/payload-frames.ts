/** Chunks and forwarded transactions, read in place: most of a node's traffic. */
import { BooleanType, ByteListType, ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import { CHUNK_MESSAGE_BYTES_MAX, CHUNK_TRANSACTIONS_MAX, TRANSACTION_BYTES_MAX } from './limits.ts';
import { readByteLists, readTail } from './read-in-place.ts';

/** A serialized signed chunk, plain or as one zstd frame that declares its size; the caller has the decoder. Ids are over plain bytes. */
export interface ChunkFrame {
  readonly compressed: boolean;
  readonly bytes: Uint8Array;
}

export interface TransactionsFrame {
  readonly transactions: readonly Uint8Array[];
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

const transactionsType = new ContainerType({
  transactions: new ListCompositeType(new ByteListType(TRANSACTION_BYTES_MAX), CHUNK_TRANSACTIONS_MAX),
});

export const TRANSACTIONS_FRAME_BYTES_MAX = 512 * 1024;

const TRANSACTIONS_OFFSET_BYTES = 4;

export const transactionsCodec = createCodec<TransactionsFrame>(
  'transactions',
  transactionsType,
  TRANSACTIONS_FRAME_BYTES_MAX + TRANSACTION_BYTES_MAX,
  undefined,
  (frame) => {
    const list = readTail(frame, 0, TRANSACTIONS_OFFSET_BYTES);
    const limits = { itemsMax: CHUNK_TRANSACTIONS_MAX, itemBytesMax: TRANSACTION_BYTES_MAX };
    const transactions = list && readByteLists(list, limits);
    return transactions && { transactions };
  },
);
