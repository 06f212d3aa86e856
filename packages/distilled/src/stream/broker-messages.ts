/** What a broker sends to its clients. */
import {
  ByteListType,
  type Codec,
  ContainerType,
  createCodec,
  fromHex,
  fromUtf8,
  ListCompositeType,
  type PeerKey,
  toHex,
  UintBigintType,
  utf8,
} from '@slipstream/primitives';
import { bytes32, type GenesisHash, uint8, uint32, uint53 } from '@slipstream/types';
import { type BatchHeader, batchHeaderFromWire, batchHeaderToWire, batchHeaderType } from '../header.ts';
import { decodeOutcomes, encodeOutcomes } from '../outcomes.ts';
import { type ProvenRows, ROWS_PER_LEAF } from '../row-tree.ts';
import { ROW_VARINT_BYTES_MAX } from '../row-wire.ts';
import { BATCH_ROWS_MAX, ROW_BYTES, type RowColumns } from '../rows.ts';
import { columnsFromBytes, columnsToBytes } from './columns.ts';
import { decodeAscending, decodeNumbers, encodeAscending, encodeNumbers, numbersType } from './index-list.ts';
import {
  DROPPED_ROWS_MAX,
  END_DETAIL_BYTES_MAX,
  HEADER_LEAVES_MAX,
  LOGIN_INDICES_MAX,
  MESSAGE_ROWS_MAX,
} from './limits.ts';
import { END_REASONS, type EndReason, ROW_REASONS, type RowReason } from './reasons.ts';

/** Of the messages. */
const STREAM_VERSION = 2;

/** The first message. */
export interface Challenge {
  readonly genesisHash: GenesisHash;
  readonly broker: PeerKey;
  /** 32 bytes, of this stream only. */
  readonly nonce: Uint8Array;
}

/** Of batches that begin now. Sent with the welcome, and when they change. */
export interface Terms {
  /** At present prices. */
  readonly rowFee: bigint;
  readonly stragglerFee: bigint;
  /** Of the next header. */
  readonly feeCap: bigint;
  /** From the end of a window to its batch's expiry. */
  readonly lifeMs: number;
  /** In flight, of this stream. */
  readonly rowsMax: number;
}

/** The login holds. */
export interface Welcome {
  readonly terms: Terms;
  /** Lowest fresh sequence above all that ran or is in flight here, by place in the login; 0: none is left. */
  readonly next: Uint32Array;
}

interface RefusedRow {
  /** In the message. */
  readonly position: number;
  readonly reason: RowReason;
}

/** Rows that the broker does not take. It took the others of the message. */
export interface Refused {
  /** Of the rows message. */
  readonly number: number;
  /** Before they are sent again; 0: another time does not help. */
  readonly retryAfterMs: number;
  readonly rows: readonly RefusedRow[];
}

/** Rows of one sender in a batch. */
interface OwnPlace {
  readonly sender: number;
  /** Position of its first row. */
  readonly first: number;
  readonly count: number;
}

/** Asks for a share. The same rows may stand in a later header too, when a batch could not be made of an earlier one. */
export interface HeaderWithPaths {
  readonly header: BatchHeader;
  /** A share that comes later is missing. */
  readonly shareWithinMs: number;
  /** Ascending by sender. */
  readonly own: readonly OwnPlace[];
  /** Own rows and their neighbours; ascending. */
  readonly leaves: readonly ProvenRows[];
}

/** The same, where own rows are many. */
export interface HeaderWithColumns {
  readonly header: BatchHeader;
  readonly shareWithinMs: number;
  readonly rows: RowColumns;
}

/** The block of a batch is final. */
export interface Outcomes {
  readonly batchId: Uint8Array;
  readonly height: number;
  readonly rowFee: bigint;
  readonly stragglerFee: bigint;
  /** A byte for each own row, by position. */
  readonly outcomes: Uint8Array;
  /** Places among the own rows of those with a straggler signature; ascending. */
  readonly stragglers: Uint32Array;
}

interface DroppedRow {
  readonly sender: number;
  readonly sequence: number;
  readonly reason: RowReason;
}

/** Rows that were taken, and that the broker gives back. */
export interface Dropped {
  readonly retryAfterMs: number;
  readonly rows: readonly DroppedRow[];
}

/** The last message. */
export interface End {
  readonly reason: EndReason;
  /** For people. */
  readonly detail: string;
}

const uint64 = new UintBigintType(8);

const challengeType = new ContainerType({ version: uint8, genesisHash: bytes32, broker: bytes32, nonce: bytes32 });

interface ChallengeWire {
  readonly version: number;
  readonly genesisHash: Uint8Array;
  readonly broker: Uint8Array;
  readonly nonce: Uint8Array;
}

export const challengeCodec: Codec<Challenge> = createCodec<Challenge, ChallengeWire>(
  'challenge',
  challengeType,
  challengeType.maxSize,
  {
    toWire: (challenge) => ({ ...challenge, version: STREAM_VERSION, broker: fromHex(challenge.broker) }),
    fromWire: ({ version, genesisHash, broker, nonce }) => {
      if (version !== STREAM_VERSION) throw new RangeError(`version ${version} of the stream is not known here`);
      return { genesisHash: genesisHash as GenesisHash, broker: toHex(broker) as PeerKey, nonce };
    },
  },
);

const termsType = new ContainerType({
  rowFee: uint64,
  stragglerFee: uint64,
  feeCap: uint64,
  lifeMs: uint32,
  rowsMax: uint32,
});

export const termsCodec: Codec<Terms> = createCodec<Terms>('terms', termsType, termsType.maxSize);

const welcomeType = new ContainerType({ terms: termsType, next: numbersType(LOGIN_INDICES_MAX) });

export const welcomeCodec: Codec<Welcome> = createCodec<Welcome, { terms: Terms; next: Uint8Array }>(
  'welcome',
  welcomeType,
  welcomeType.maxSize,
  {
    toWire: ({ terms, next }) => ({ terms, next: encodeNumbers(next) }),
    fromWire: ({ terms, next }) => ({ terms, next: decodeNumbers(next, LOGIN_INDICES_MAX) }),
  },
);

const refusedType = new ContainerType({
  number: uint32,
  retryAfterMs: uint32,
  rows: new ListCompositeType(new ContainerType({ position: uint32, reason: uint8 }), MESSAGE_ROWS_MAX),
});

type Coded<T extends { readonly reason: unknown }> = Omit<T, 'reason'> & { readonly reason: number };

interface RefusedWire extends Omit<Refused, 'rows'> {
  readonly rows: readonly Coded<RefusedRow>[];
}

export const refusedCodec: Codec<Refused> = createCodec<Refused, RefusedWire>(
  'refused rows',
  refusedType,
  refusedType.maxSize,
  {
    toWire: ({ rows, ...refused }) => ({ ...refused, rows: rows.map(toCoded) }),
    fromWire: ({ rows, ...refused }) => ({ ...refused, rows: rows.map(fromCoded) }),
  },
);

const droppedType = new ContainerType({
  retryAfterMs: uint32,
  rows: new ListCompositeType(new ContainerType({ sender: uint32, sequence: uint32, reason: uint8 }), DROPPED_ROWS_MAX),
});

interface DroppedWire extends Omit<Dropped, 'rows'> {
  readonly rows: readonly Coded<DroppedRow>[];
}

export const droppedCodec: Codec<Dropped> = createCodec<Dropped, DroppedWire>(
  'dropped rows',
  droppedType,
  droppedType.maxSize,
  {
    toWire: ({ rows, retryAfterMs }) => ({ retryAfterMs, rows: rows.map(toCoded) }),
    fromWire: ({ rows, retryAfterMs }) => ({ retryAfterMs, rows: rows.map(fromCoded) }),
  },
);

function toCoded<T extends { readonly reason: RowReason }>(row: T): Coded<T> {
  return { ...row, reason: ROW_REASONS[row.reason] };
}

const ROW_REASON_OF = new Map(Object.entries(ROW_REASONS).map(([name, code]) => [code as number, name as RowReason]));

function fromCoded<T extends { readonly reason: number }>(row: T): Omit<T, 'reason'> & { readonly reason: RowReason } {
  const reason = ROW_REASON_OF.get(row.reason);
  if (reason === undefined) throw new RangeError(`unknown reason ${row.reason} of a row`);
  return { ...row, reason };
}

const ownPlaceType = new ContainerType({ sender: uint32, first: uint32, count: uint32 });
const provenRowsType = new ContainerType({
  first: uint32,
  rows: new ByteListType(ROWS_PER_LEAF * ROW_BYTES),
  path: new ListCompositeType(bytes32, Math.log2(BATCH_ROWS_MAX / ROWS_PER_LEAF)),
});

const headerWithPathsType = new ContainerType({
  header: batchHeaderType,
  shareWithinMs: uint32,
  own: new ListCompositeType(ownPlaceType, HEADER_LEAVES_MAX * ROWS_PER_LEAF),
  leaves: new ListCompositeType(provenRowsType, HEADER_LEAVES_MAX),
});

type HeaderWire = ReturnType<typeof batchHeaderToWire>;

interface HeaderWithPathsWire extends Omit<HeaderWithPaths, 'header'> {
  readonly header: HeaderWire;
}

export const headerWithPathsCodec: Codec<HeaderWithPaths> = createCodec<HeaderWithPaths, HeaderWithPathsWire>(
  'header with paths',
  headerWithPathsType,
  headerWithPathsType.maxSize,
  {
    toWire: ({ header, ...rest }) => ({ ...rest, header: batchHeaderToWire(header) }),
    fromWire: ({ header, ...rest }) => ({ ...rest, header: batchHeaderFromWire(header) }),
  },
);

const headerWithColumnsType = new ContainerType({
  header: batchHeaderType,
  shareWithinMs: uint32,
  columns: new ByteListType(BATCH_ROWS_MAX * ROW_VARINT_BYTES_MAX),
});

interface HeaderWithColumnsWire {
  readonly header: HeaderWire;
  readonly shareWithinMs: number;
  readonly columns: Uint8Array;
}

export const headerWithColumnsCodec: Codec<HeaderWithColumns> = createCodec<HeaderWithColumns, HeaderWithColumnsWire>(
  'header with columns',
  headerWithColumnsType,
  headerWithColumnsType.maxSize,
  {
    toWire: ({ header, shareWithinMs, rows }) => {
      return { header: batchHeaderToWire(header), shareWithinMs, columns: columnsToBytes(rows) };
    },
    fromWire: ({ header: wire, shareWithinMs, columns }) => {
      const header = batchHeaderFromWire(wire);
      return { header, shareWithinMs, rows: columnsFromBytes(columns, header.rows) };
    },
  },
);

const RUN_BYTES_MAX = 6;

const outcomesType = new ContainerType({
  batchId: bytes32,
  height: uint53,
  rowFee: uint64,
  stragglerFee: uint64,
  rows: uint32,
  runs: new ByteListType(BATCH_ROWS_MAX * RUN_BYTES_MAX),
  stragglers: numbersType(BATCH_ROWS_MAX),
});

interface OutcomesWire extends Omit<Outcomes, 'outcomes' | 'stragglers'> {
  readonly rows: number;
  readonly runs: Uint8Array;
  readonly stragglers: Uint8Array;
}

export const outcomesCodec: Codec<Outcomes> = createCodec<Outcomes, OutcomesWire>(
  'outcomes',
  outcomesType,
  outcomesType.maxSize,
  {
    toWire: ({ outcomes, stragglers, ...rest }) => {
      const runs = encodeOutcomes(outcomes);
      return { ...rest, rows: outcomes.length, runs, stragglers: encodeAscending(stragglers) };
    },
    fromWire: ({ rows, runs, stragglers, ...rest }) => {
      if (rows > BATCH_ROWS_MAX) throw new RangeError(`${rows} rows, at most ${BATCH_ROWS_MAX} are allowed`);
      const outcomes = decodeOutcomes(runs, rows);
      if (!outcomes.ok) throw new RangeError(`outcomes: ${outcomes.error}`);
      const places = decodeAscending(stragglers, BATCH_ROWS_MAX);
      if ((places.at(-1) ?? -1) >= rows) throw new RangeError('a straggler is beyond the rows');
      return { ...rest, outcomes: outcomes.value, stragglers: places };
    },
  },
);

const endType = new ContainerType({ reason: uint8, detail: new ByteListType(END_DETAIL_BYTES_MAX) });
const END_REASON_OF = new Map(Object.entries(END_REASONS).map(([name, code]) => [code as number, name as EndReason]));

export const endCodec: Codec<End> = createCodec<End, { reason: number; detail: Uint8Array }>(
  'end of a stream',
  endType,
  endType.maxSize,
  {
    toWire: ({ reason, detail }) => ({ reason: END_REASONS[reason], detail: utf8(detail) }),
    fromWire: ({ reason, detail }) => {
      const name = END_REASON_OF.get(reason);
      if (name === undefined) throw new RangeError(`unknown reason ${reason} of an end`);
      return { reason: name, detail: fromUtf8(detail) };
    },
  },
);
