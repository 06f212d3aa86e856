/** The ledger's own values and codecs. */
import type { PeerKey } from '@slipstream/ports';
import {
  ByteListType,
  type Codec,
  ContainerType,
  createCodec,
  fromHex,
  fromUtf8,
  toHex,
  unreachable,
  utf8,
} from '@slipstream/primitives';
import {
  BLOCK_REASONS,
  type BlockId,
  type BlockReason,
  bytes32,
  type Evidence,
  type Height,
  height,
  PROPOSAL_BYTES_MAX,
  proposalCodec,
  signedChunkHeaderCodec,
  type TransactionId,
  uint8,
  uint32,
  uint53,
  voteCodec,
} from '@slipstream/types';

/** End of the committed chain, and begin of its retained part. */
export interface LedgerTip {
  readonly height: Height;
  readonly blockId: BlockId;
  readonly timestampMs: number;
  /** Lowest retained height above genesis. */
  readonly earliestHeight: Height;
}

interface TipWire {
  readonly height: number;
  readonly blockId: Uint8Array;
  readonly timestampMs: number;
  readonly earliestHeight: number;
}

const tipType = new ContainerType({ height: uint53, blockId: bytes32, timestampMs: uint53, earliestHeight: uint53 });

export const tipCodec = createCodec<LedgerTip, TipWire>('ledger tip', tipType, tipType.maxSize, {
  toWire: (tip) => tip,
  fromWire: (wire) => ({
    height: height(wire.height),
    blockId: wire.blockId as BlockId,
    timestampMs: wire.timestampMs,
    earliestHeight: height(wire.earliestHeight),
  }),
});

/** A serialized receipt begins with the transaction id (receipt.ts of types). */
export function transactionIdOfReceipt(receipt: Uint8Array): TransactionId {
  return receipt.subarray(0, 32) as TransactionId;
}

/** The record of a distilled batch begins with the batch's id, which replay protection remembers as a transaction's. */
export function batchIdOfRecord(record: Uint8Array): TransactionId {
  return record.subarray(0, 32) as TransactionId;
}

/** Encoded by position: append new types. */
const EVIDENCE_TYPES = ['votes', 'proposals', 'chunks'] as const;
const MESSAGE_BYTES_MAX = Math.max(PROPOSAL_BYTES_MAX, voteCodec.bytesMax);
const EVIDENCE_BYTES_MAX = 2 * MESSAGE_BYTES_MAX + 64;

interface EvidenceWire {
  readonly type: number;
  readonly offender: number;
  readonly first: Uint8Array;
  readonly second: Uint8Array;
}

const message = new ByteListType(MESSAGE_BYTES_MAX);

export const evidenceCodec = createCodec<Evidence, EvidenceWire>(
  'evidence',
  new ContainerType({ type: uint8, offender: uint32, first: message, second: message }),
  EVIDENCE_BYTES_MAX,
  {
    toWire: (evidence) => ({
      type: EVIDENCE_TYPES.indexOf(evidence.type),
      offender: evidence.offender,
      ...encodedMessages(evidence),
    }),
    fromWire: ({ type, offender, first, second }) => {
      const name = EVIDENCE_TYPES[type];
      const both = <T>(codec: Codec<T>) => ({
        first: decodedOf(codec.decode(first)),
        second: decodedOf(codec.decode(second)),
      });
      switch (name) {
        case 'votes':
          return { type: name, offender, ...both(voteCodec) };
        case 'proposals':
          return { type: name, offender, ...both(proposalCodec) };
        case 'chunks':
          return { type: name, offender, ...both(signedChunkHeaderCodec) };
        case undefined:
          throw new RangeError(`unknown evidence ${type}`);
        default:
          return unreachable(name, 'evidence');
      }
    },
  },
);

function encodedMessages(evidence: Evidence): Pick<EvidenceWire, 'first' | 'second'> {
  const both = <T>(codec: Codec<T>, { first, second }: { readonly first: T; readonly second: T }) => ({
    first: codec.encode(first),
    second: codec.encode(second),
  });
  switch (evidence.type) {
    case 'votes':
      return both(voteCodec, evidence);
    case 'proposals':
      return both(proposalCodec, evidence);
    case 'chunks':
      return both(signedChunkHeaderCodec, evidence);
    default:
      return unreachable(evidence, 'evidence');
  }
}

function decodedOf<T>(decoded: { readonly ok: true; readonly value: T } | { readonly ok: false }): T {
  if (!decoded.ok) throw new RangeError('evidence holds a message that does not decode');
  return decoded.value;
}

/** Why and since when this node blocks a validator. The record survives a restart, the block does not. */
export interface PeerBlockRecord {
  readonly peer: PeerKey;
  readonly reason: BlockReason;
  /** For people; cut when too long. */
  readonly detail: string;
  readonly atMs: number;
}

const DETAIL_BYTES_MAX = 1024;

interface PeerBlockWire {
  readonly peer: Uint8Array;
  readonly reason: number;
  readonly detail: Uint8Array;
  readonly atMs: number;
}

const peerBlockType = new ContainerType({
  peer: bytes32,
  reason: uint8,
  detail: new ByteListType(DETAIL_BYTES_MAX),
  atMs: uint53,
});

export const peerBlockCodec = createCodec<PeerBlockRecord, PeerBlockWire>(
  'peer block',
  peerBlockType,
  peerBlockType.maxSize,
  {
    toWire: ({ peer, reason, detail, atMs }) => ({
      peer: fromHex(peer),
      reason: BLOCK_REASONS.indexOf(reason),
      // A UTF-16 unit takes at most three bytes.
      detail: utf8(detail.slice(0, Math.floor(DETAIL_BYTES_MAX / 3))),
      atMs,
    }),
    fromWire: (wire) => {
      const reason = BLOCK_REASONS[wire.reason];
      if (reason === undefined) throw new RangeError(`unknown block reason ${wire.reason}`);
      return { peer: toHex(wire.peer) as PeerKey, reason, detail: fromUtf8(wire.detail), atMs: wire.atMs };
    },
  },
);
