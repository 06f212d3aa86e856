/** What a client sends to its broker: a login, then rows and shares. */
import {
  ByteListType,
  ByteVectorType,
  type Codec,
  ContainerType,
  createCodec,
  UintBigintType,
} from '@slipstream/primitives';
import { BLS_AGGREGATE_BYTES, BLS_SIGNATURE_BYTES, bytes32, uint32, uint53 } from '@slipstream/types';
import type { Straggler } from '../batch.ts';
import { ROW_VARINT_BYTES_MAX, readStragglers, STRAGGLER_BYTES, writeStragglers } from '../row-wire.ts';
import { BATCH_ROWS_MAX, type RowColumns } from '../rows.ts';
import { columnsFromBytes, columnsToBytes } from './columns.ts';
import { decodeAscending, encodeAscending, numbersType } from './index-list.ts';
import { LOGIN_INDICES_MAX, MESSAGE_ROWS_MAX } from './limits.ts';

export interface Login {
  /** Accounts that this stream may send for; ascending, one at least. */
  readonly indices: Uint32Array;
  /** 96 bytes: the sum of their signatures over loginMessage. */
  readonly aggregate: Uint8Array;
}

export interface RowsMessage {
  /** Of the client, for refusals. */
  readonly number: number;
  /** The client signs no batch that expires later. */
  readonly expiryMs: number;
  /** The client signs no batch above it. */
  readonly feeCap: bigint;
  /** Ascending by sender, then sequence. */
  readonly rows: RowColumns;
  /** For rows whose share may be missing; ascending by position. */
  readonly stragglers: readonly Straggler[];
}

export interface Share {
  /** 32 bytes. */
  readonly batchId: Uint8Array;
  /** Own senders of the batch that it does not stand for; ascending. */
  readonly without: Uint32Array;
  /** 192 bytes: the sum of the signatures of all other own senders over batchId. */
  readonly signature: Uint8Array;
}

const uint64 = new UintBigintType(8);

const loginType = new ContainerType({
  indices: numbersType(LOGIN_INDICES_MAX),
  aggregate: new ByteVectorType(BLS_AGGREGATE_BYTES),
});

interface LoginWire {
  readonly indices: Uint8Array;
  readonly aggregate: Uint8Array;
}

export const loginCodec: Codec<Login> = createCodec<Login, LoginWire>('login', loginType, loginType.maxSize, {
  toWire: ({ indices, aggregate }) => ({ indices: encodeAscending(indices), aggregate }),
  fromWire: ({ indices, aggregate }) => {
    if (indices.length === 0) throw new RangeError('a login has one index at least');
    return { indices: decodeAscending(indices, LOGIN_INDICES_MAX), aggregate };
  },
});

interface RowsWire {
  readonly number: number;
  readonly expiryMs: number;
  readonly feeCap: bigint;
  readonly count: number;
  readonly columns: Uint8Array;
  readonly stragglers: Uint8Array;
}

const rowsType = new ContainerType({
  number: uint32,
  expiryMs: uint53,
  feeCap: uint64,
  count: uint32,
  columns: new ByteListType(MESSAGE_ROWS_MAX * ROW_VARINT_BYTES_MAX),
  stragglers: new ByteListType(MESSAGE_ROWS_MAX * STRAGGLER_BYTES),
});

export const rowsMessageCodec: Codec<RowsMessage> = createCodec<RowsMessage, RowsWire>(
  'rows message',
  rowsType,
  rowsType.maxSize,
  {
    toWire: ({ number, expiryMs, feeCap, rows, stragglers }) => {
      const bytes = new Uint8Array(STRAGGLER_BYTES * stragglers.length);
      writeStragglers(bytes, 0, rows.count, stragglers);
      return { number, expiryMs, feeCap, count: rows.count, columns: columnsToBytes(rows), stragglers: bytes };
    },
    fromWire: ({ number, expiryMs, feeCap, count, columns, stragglers: bytes }) => {
      if (count > MESSAGE_ROWS_MAX) throw new RangeError(`${count} rows in a message, at most ${MESSAGE_ROWS_MAX}`);
      const rows = columnsFromBytes(columns, count);
      const stragglerCount = bytes.length / STRAGGLER_BYTES;
      if (!Number.isInteger(stragglerCount) || stragglerCount > count) {
        throw new RangeError(`${bytes.length} bytes are no stragglers of ${count} rows`);
      }
      const stragglers = readStragglers(bytes, stragglerCount, count);
      if (stragglers === undefined) throw new RangeError('positions or expiries of stragglers are out of bounds');
      return { number, expiryMs, feeCap, rows, stragglers };
    },
  },
);

interface ShareWire {
  readonly batchId: Uint8Array;
  readonly without: Uint8Array;
  readonly signature: Uint8Array;
}

const shareType = new ContainerType({
  batchId: bytes32,
  without: numbersType(BATCH_ROWS_MAX),
  signature: new ByteVectorType(BLS_SIGNATURE_BYTES),
});

export const shareCodec: Codec<Share> = createCodec<Share, ShareWire>('share', shareType, shareType.maxSize, {
  toWire: ({ batchId, without, signature }) => ({ batchId, without: encodeAscending(without), signature }),
  fromWire: ({ batchId, without, signature }) => ({
    batchId,
    without: decodeAscending(without, BATCH_ROWS_MAX),
    signature,
  }),
});
