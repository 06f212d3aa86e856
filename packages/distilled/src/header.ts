/**
 * Header of a batch. Clients sign its hash: batchId = SHA-256(domain || genesisHash || header).
 *
 * A row's id is the first 28 bytes of the batch's and its position, so one entry of an index finds all rows of a batch.
 */
import {
  assert,
  bytesEqual,
  ContainerType,
  createCodec,
  domainPrefix,
  fromHex,
  hashInDomain,
  type PeerKey,
  toHex,
  UintBigintType,
  uint64le,
} from '@slipstream/primitives';
import { bytes32, type GenesisHash, uint8, uint32, uint53 } from '@slipstream/types';
import { BATCH_ROWS_MAX, isUint64, type Row, rowToBytes } from './rows.ts';

const BATCH_VERSION = 1;
/** Of the rows. */
const BATCH_KINDS = { transfer: 1 } as const;
type BatchKind = keyof typeof BATCH_KINDS;

export interface BatchHeader {
  readonly kind: BatchKind;
  readonly epoch: number;
  readonly broker: PeerKey;
  /** Of the broker's batches. */
  readonly number: number;
  /** A final height whose directory has every index of the batch. */
  readonly knownAt: number;
  readonly expiryMs: number;
  /** Highest fee of a row. */
  readonly feeCap: bigint;
  /** 1 to BATCH_ROWS_MAX. */
  readonly rows: number;
  /** Of the row tree. */
  readonly root: Uint8Array;
}

interface HeaderWire extends Omit<BatchHeader, 'kind' | 'broker'> {
  readonly version: number;
  readonly kind: number;
  readonly broker: Uint8Array;
}

const uint64 = new UintBigintType(8);

export const batchHeaderType = new ContainerType({
  version: uint8,
  kind: uint8,
  epoch: uint32,
  broker: bytes32,
  number: uint53,
  knownAt: uint53,
  expiryMs: uint53,
  feeCap: uint64,
  rows: uint32,
  root: bytes32,
});

export const BATCH_HEADER_BYTES = batchHeaderType.maxSize;

export function batchHeaderToWire(header: BatchHeader): HeaderWire {
  return { ...header, version: BATCH_VERSION, kind: BATCH_KINDS[header.kind], broker: fromHex(header.broker) };
}

/** Throws RangeError for an unknown version or kind, and for a number of rows out of bounds. */
export function batchHeaderFromWire({ version, ...wire }: HeaderWire): BatchHeader {
  if (version !== BATCH_VERSION) throw new RangeError(`unknown version ${version} of a batch`);
  if (wire.kind !== BATCH_KINDS.transfer) throw new RangeError(`unknown kind ${wire.kind} of rows`);
  if (wire.rows < 1 || wire.rows > BATCH_ROWS_MAX) {
    throw new RangeError(`a batch has 1 to ${BATCH_ROWS_MAX} rows, not ${wire.rows}`);
  }
  return { ...wire, kind: 'transfer', broker: toHex(wire.broker) as PeerKey };
}

export const batchHeaderCodec = createCodec<BatchHeader, HeaderWire>(
  'batch header',
  batchHeaderType,
  BATCH_HEADER_BYTES,
  { toWire: batchHeaderToWire, fromWire: batchHeaderFromWire },
);

const BATCH_DOMAIN = domainPrefix('slipstream/distilled');
const ROW_DOMAIN = domainPrefix('slipstream/row');

/** 32 bytes: what the signers of a batch sign. */
export function batchIdOf(genesisHash: GenesisHash, header: BatchHeader): Uint8Array {
  return hashInDomain(BATCH_DOMAIN, genesisHash, batchHeaderCodec.encode(header));
}

interface StragglerTerms {
  readonly expiryMs: number;
  readonly feeCap: bigint;
}

/** Whether they fit the layout. */
export function areStragglerTerms({ expiryMs, feeCap }: StragglerTerms): boolean {
  return Number.isSafeInteger(expiryMs) && expiryMs >= 0 && isUint64(feeCap);
}

/**
 * 32 bytes: what an account signs with Ed25519, so that its row runs without a share of the aggregate. Throws PrimitivesError
 * `invariant-broken` for numbers that do not fit the layout.
 */
export function stragglerMessage(genesisHash: GenesisHash, row: Row, { expiryMs, feeCap }: StragglerTerms): Uint8Array {
  assert(areStragglerTerms({ expiryMs, feeCap }), 'expiry and fee cap fit a straggler');
  return hashInDomain(ROW_DOMAIN, genesisHash, rowToBytes(row), uint64le(expiryMs), uint64le(feeCap));
}

const ROW_ID_BYTES = 32;
const BATCH_PART_BYTES = 28;

/** 32 bytes: 28 of the batch's id, then the position, big-endian, so that rows sort by it. */
export function rowIdOf(batchId: Uint8Array, position: number): Uint8Array {
  const id = new Uint8Array(ROW_ID_BYTES);
  id.set(batchId.subarray(0, BATCH_PART_BYTES));
  new DataView(id.buffer).setUint32(BATCH_PART_BYTES, position, false);
  return id;
}

/** Undefined: of another batch. */
export function positionIn(batchId: Uint8Array, rowId: Uint8Array): number | undefined {
  if (rowId.length !== ROW_ID_BYTES) return undefined;
  const isOfBatch = bytesEqual(rowId.subarray(0, BATCH_PART_BYTES), batchId.subarray(0, BATCH_PART_BYTES));
  if (!isOfBatch) return undefined;
  return new DataView(rowId.buffer, rowId.byteOffset).getUint32(BATCH_PART_BYTES, false);
}
