/**
 * Chunks: transactions and distilled batches that one validator packed and spread ahead of consensus.
 *
 * chunkId = SHA-256(header), which holds the body's hash: a reference commits to every transaction and batch. The body has two SSZ lists of
 * serialized items, their offsets first, so one can be read alone.
 */
import {
  BooleanType,
  ByteListType,
  ByteVectorType,
  ContainerType,
  createCodec,
  domainPrefix,
  hashInDomain,
  ListCompositeType,
  sha256,
  uint32le,
  VectorBasicType,
} from '@slipstream/primitives';
import type { ChunkId, Epoch, GenesisHash } from './ids.ts';
import { asId, epoch as epochOf } from './ids.ts';
import {
  BLS_AGGREGATE_BYTES,
  BLS_SIGNATURE_BYTES,
  CHUNK_BATCH_BYTES_MAX,
  CHUNK_BATCHES_MAX,
  CHUNK_BYTES_MAX,
  CHUNK_MESSAGE_BYTES_MAX,
  CHUNK_TRANSACTIONS_MAX,
  TRANSACTION_BYTES_MAX,
} from './limits.ts';
import { readByteLists, readTail, readTwoTails } from './read-in-place.ts';
import { bitmapToSigners, bytes32, signerBitmapType, signersToBitmap, uint16, uint32, uint53 } from './subject-wire.ts';
import type { Units } from './units.ts';
import { UNIT_DIMENSIONS } from './units.ts';

export interface ChunkHeader {
  readonly epoch: Epoch;
  /** Member index, in the committee of the epoch. */
  readonly producer: number;
  /** Two chunks of one producer and sequence are equivocation. */
  readonly sequence: number;
  readonly createdMs: number;
  readonly expiryMs: number;
  readonly bodyHash: Uint8Array;
  readonly bodyBytes: number;
  readonly transactionCount: number;
  readonly batchCount: number;
  /** Of all its batches. */
  readonly rowCount: number;
  /** Upper bound of execution. */
  readonly units: Units;
  /** The producer asks for storage acks at once (D6). */
  readonly acksWanted: boolean;
}

export interface SignedChunk {
  readonly header: ChunkHeader;
  /** Serialized ChunkBody. */
  readonly body: Uint8Array;
  /** 192 bytes over chunkMessage. */
  readonly signature: Uint8Array;
}

/** Serialized items, in order of execution: transactions before batches. */
export interface ChunkBody {
  readonly transactions: readonly Uint8Array[];
  readonly batches: readonly Uint8Array[];
}

/** Certified once stored by a quorum. */
export interface ChunkReference {
  readonly chunkId: ChunkId;
  readonly certificate: ChunkCertificate | undefined;
}

/** Storage acks of a quorum of the chunk's committee. */
export interface ChunkCertificate {
  /** Of the chunk. */
  readonly epoch: Epoch;
  readonly signers: readonly number[];
  readonly aggregate: Uint8Array;
}

const unitsType = new VectorBasicType(uint53, UNIT_DIMENSIONS.length);

export const chunkHeaderType = new ContainerType({
  epoch: uint32,
  producer: uint16,
  sequence: uint53,
  createdMs: uint53,
  expiryMs: uint53,
  bodyHash: bytes32,
  bodyBytes: uint32,
  transactionCount: uint32,
  batchCount: uint16,
  rowCount: uint32,
  units: unitsType,
  acksWanted: new BooleanType(),
});

export const chunkHeaderCodec = createCodec<ChunkHeader>('chunk header', chunkHeaderType, chunkHeaderType.maxSize);

const chunkBodyType = new ContainerType({
  transactions: new ListCompositeType(new ByteListType(TRANSACTION_BYTES_MAX), CHUNK_TRANSACTIONS_MAX),
  batches: new ListCompositeType(new ByteListType(CHUNK_BATCH_BYTES_MAX), CHUNK_BATCHES_MAX),
});

const TRANSACTIONS_BOUNDS = { itemsMax: CHUNK_TRANSACTIONS_MAX, itemBytesMax: TRANSACTION_BYTES_MAX };
const BATCHES_BOUNDS = { itemsMax: CHUNK_BATCHES_MAX, itemBytesMax: CHUNK_BATCH_BYTES_MAX };

function readChunkBody(bytes: Uint8Array): ChunkBody | undefined {
  const lists = readTwoTails(bytes);
  const transactions = lists && readByteLists(lists[0], TRANSACTIONS_BOUNDS);
  const batches = lists && readByteLists(lists[1], BATCHES_BOUNDS);
  return transactions && batches && { transactions, batches };
}

export const chunkBodyCodec = createCodec<ChunkBody>(
  'chunk body',
  chunkBodyType,
  CHUNK_BYTES_MAX,
  undefined,
  readChunkBody,
);

const signedChunkType = new ContainerType({
  header: chunkHeaderType,
  body: new ByteListType(CHUNK_BYTES_MAX),
  signature: new ByteVectorType(BLS_SIGNATURE_BYTES),
});

const BODY_OFFSET_AT = chunkHeaderType.maxSize;
const SIGNATURE_AT = BODY_OFFSET_AT + 4;

function readSignedChunk(bytes: Uint8Array): SignedChunk | undefined {
  const body = readTail(bytes, BODY_OFFSET_AT, SIGNATURE_AT + BLS_SIGNATURE_BYTES);
  if (body === undefined || body.length > CHUNK_BYTES_MAX) return undefined;
  const header = chunkHeaderCodec.decode(bytes.subarray(0, BODY_OFFSET_AT));
  const signature = bytes.subarray(SIGNATURE_AT, SIGNATURE_AT + BLS_SIGNATURE_BYTES);
  return header.ok ? { header: header.value, body, signature } : undefined;
}

export const signedChunkCodec = createCodec<SignedChunk>(
  'chunk',
  signedChunkType,
  CHUNK_MESSAGE_BYTES_MAX,
  undefined,
  readSignedChunk,
);

export interface SignedChunkHeader {
  readonly header: ChunkHeader;
  /** 192 bytes over chunkMessage. */
  readonly signature: Uint8Array;
}

const signedChunkHeaderType = new ContainerType({
  header: chunkHeaderType,
  signature: new ByteVectorType(BLS_SIGNATURE_BYTES),
});

export const signedChunkHeaderCodec = createCodec<SignedChunkHeader>(
  'signed chunk header',
  signedChunkHeaderType,
  signedChunkHeaderType.maxSize,
);

export function chunkIdOf(header: ChunkHeader): ChunkId {
  return asId<ChunkId>(sha256(chunkHeaderCodec.encode(header)));
}

const CHUNK_DOMAIN = domainPrefix('slipstream/chunk');
const CHUNK_ACK_DOMAIN = domainPrefix('slipstream/chunk-ack');

/** Signed by the producer. */
export function chunkMessage(genesisHash: GenesisHash, epoch: Epoch, chunkId: ChunkId): Uint8Array {
  return hashInDomain(CHUNK_DOMAIN, genesisHash, uint32le(epoch), chunkId);
}

/** Signed by a validator that stored the chunk durably. */
export function chunkAckMessage(genesisHash: GenesisHash, epoch: Epoch, chunkId: ChunkId): Uint8Array {
  return hashInDomain(CHUNK_ACK_DOMAIN, genesisHash, uint32le(epoch), chunkId);
}

const chunkCertificateType = new ContainerType({
  epoch: uint32,
  signers: signerBitmapType,
  aggregate: new ByteVectorType(BLS_AGGREGATE_BYTES),
});

export const chunkReferenceType = new ContainerType({
  chunkId: bytes32,
  certificate: new ListCompositeType(chunkCertificateType, 1),
});

export interface ChunkReferenceWire {
  readonly chunkId: Uint8Array;
  readonly certificate: readonly {
    readonly epoch: number;
    readonly signers: Uint8Array;
    readonly aggregate: Uint8Array;
  }[];
}

export function chunkReferenceToWire({ chunkId, certificate }: ChunkReference): ChunkReferenceWire {
  return {
    chunkId,
    certificate: certificate
      ? [
          {
            epoch: certificate.epoch,
            signers: signersToBitmap(certificate.signers),
            aggregate: certificate.aggregate,
          },
        ]
      : [],
  };
}

export function chunkReferenceFromWire(wire: ChunkReferenceWire): ChunkReference {
  const certificate = wire.certificate[0];
  return {
    chunkId: wire.chunkId as ChunkId,
    certificate: certificate && {
      epoch: epochOf(certificate.epoch),
      signers: bitmapToSigners(certificate.signers),
      aggregate: certificate.aggregate,
    },
  };
}
