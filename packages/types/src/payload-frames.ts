/** Chunks, forwarded transactions and offered batches, read in place: most of a node's traffic. */
import { BooleanType, ByteListType, ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import type { TransactionId } from './ids.ts';
import {
  CHUNK_BATCH_BYTES_MAX,
  CHUNK_MESSAGE_BYTES_MAX,
  CHUNK_TRANSACTIONS_MAX,
  TRANSACTION_BYTES_MAX,
} from './limits.ts';
import { readByteLists, readFixedItems, readTail, readTwoTails } from './read-in-place.ts';
import { bytes32, uint8, uint16, uint32 } from './subject-wire.ts';

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

/** A broker's distilled batch, for a producer. */
export interface BatchOffer {
  /** The answer has it. */
  readonly offerId: number;
  readonly batch: Uint8Array;
}

/** Numbers of the wire, never reused. */
const BATCH_REFUSALS = {
  'no-producer': 1, // no member of the epoch
  'no-directory': 2, // of the chain
  malformed: 3,
  'not-its-broker': 4, // the header names another
  'wrong-epoch': 5,
  expired: 6,
  'expiry-too-far': 7,
  'known-at-bounds': 8, // above what is final and executed here, or too old
  'max-fee-too-low': 9,
  'over-limit': 10, // more than a chunk or block may hold
  'queue-full': 11,
  'broker-limit': 12, // too many of this broker wait
  'verification-limit': 13, // too many, false or unpaid ones, of this broker
  'bad-signature': 14, // Z3 to Z6
} as const;

export type BatchRefusal = keyof typeof BATCH_REFUSALS;

export interface BatchAnswer {
  readonly offerId: number;
  /** Undefined: accepted, or known. */
  readonly refusal: BatchRefusal | undefined;
  /** 0: never with these bytes. */
  readonly retryAfterMs: number;
}

const batchOfferType = new ContainerType({ offerId: uint32, batch: new ByteListType(CHUNK_BATCH_BYTES_MAX) });

/** Id and the offset of the bytes. */
const BATCH_OFFER_FIXED_BYTES = 4 + 4;

export const batchOfferCodec = createCodec<BatchOffer>(
  'batch offer',
  batchOfferType,
  batchOfferType.maxSize,
  undefined,
  (frame) => {
    const batch = readTail(frame, 4, BATCH_OFFER_FIXED_BYTES);
    if (batch === undefined || batch.length > CHUNK_BATCH_BYTES_MAX) return undefined;
    return { offerId: new DataView(frame.buffer, frame.byteOffset).getUint32(0, true), batch };
  },
);

const batchAnswerType = new ContainerType({ offerId: uint32, refusal: uint8, retryAfterMs: uint16 });
const REFUSAL_OF_NUMBER = new Map(Object.entries(BATCH_REFUSALS).map(([name, at]) => [at, name as BatchRefusal]));

interface BatchAnswerWire {
  readonly offerId: number;
  readonly refusal: number;
  readonly retryAfterMs: number;
}

export const batchAnswerCodec = createCodec<BatchAnswer, BatchAnswerWire>(
  'batch answer',
  batchAnswerType,
  batchAnswerType.maxSize,
  {
    toWire: ({ offerId, refusal, retryAfterMs }) => ({
      offerId,
      refusal: refusal === undefined ? 0 : BATCH_REFUSALS[refusal],
      retryAfterMs,
    }),
    fromWire({ offerId, refusal: number, retryAfterMs }) {
      const refusal = REFUSAL_OF_NUMBER.get(number as (typeof BATCH_REFUSALS)[BatchRefusal]);
      if (number !== 0 && refusal === undefined) throw new RangeError(`unknown refusal of a batch ${number}`);
      if (number === 0 && retryAfterMs !== 0) throw new RangeError('an accepted batch has no time to come back');
      return { offerId, refusal, retryAfterMs };
    },
  },
);
