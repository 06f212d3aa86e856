/**
 * Frames: messages between peers, the whole wire protocol above the transport. One kind byte, then SSZ; a kind's maximum is checked
 * before allocation.
 */

import type { Lane } from '@slipstream/primitives';
import {
  BooleanType,
  ByteListType,
  ByteVectorType,
  type Codec,
  ContainerType,
  concatBytes,
  createCodec,
  type DecodeError,
  fail,
  ListCompositeType,
  ok,
  type Result,
} from '@slipstream/primitives';
import {
  CERTIFICATE_BYTES_MAX,
  type Certificate,
  type CertificateWire,
  certificateFromWire,
  certificateToWire,
  certificateType,
} from './certificate.ts';
import type { ChunkCertificate } from './chunk.ts';
import type { ChunkId, Epoch } from './ids.ts';
import { BLS_AGGREGATE_BYTES, BLS_SIGNATURE_BYTES } from './limits.ts';
import {
  type BatchAnswer,
  type BatchOffer,
  batchAnswerCodec,
  batchOfferCodec,
  type ChunkFrame,
  chunkFrameCodec,
  type TransactionsFrame,
  transactionsCodec,
} from './payload-frames.ts';
import {
  type Confirmation,
  type ConfirmationWire,
  confirmationFromWire,
  confirmationToWire,
  confirmationType,
  PROPOSAL_BYTES_MAX,
  type Proposal,
  proposalCodec,
} from './proposal.ts';
import { bitmapToSigners, bytes32, signerBitmapType, signersToBitmap, uint16, uint32, uint53 } from './subject-wire.ts';
import { type SyncRequest, type SyncResponse, syncRequestCodec, syncResponseCodec } from './sync-frames.ts';
import { VOTE_BYTES, type Vote, type VoteWire, voteFromWire, voteToWire, voteType } from './vote.ts';

export interface ConsensusFrame {
  readonly certificates: readonly Certificate[];
  readonly votes: readonly Vote[];
  readonly confirmations: readonly Confirmation[];
}

/** Once per second. */
export interface Heartbeat {
  /** The sender's current one. */
  readonly epoch: Epoch;
  readonly view: number;
  readonly finalizedHeight: number;
  readonly committedHeight: number;
  /** No votes in views up to this one (consensus.md, H2 and H7); 0: none refused. */
  readonly refusedView: number;
}

/** For the starting validator's own newest messages (consensus.md, "Signing history"). */
interface HistoryQuery {
  /** A member of another epoch has no answer. */
  readonly epoch: Epoch;
  readonly nonce: number;
}

export interface HistoryAnswer {
  /** Of the query, and of all that follows. */
  readonly epoch: Epoch;
  readonly nonce: number;
  readonly votes: readonly Vote[];
  /** The newest of each kind with a vote of the asking validator. Unlike votes, a restarted peer still has them. */
  readonly certificates: readonly Certificate[];
  /** Serialized proposals. */
  readonly proposals: readonly Uint8Array[];
}

interface ChunkAck {
  readonly chunkId: ChunkId;
  readonly signer: number;
  /** 192 bytes over chunkAckMessage. */
  readonly signature: Uint8Array;
}

interface ChunkCertified {
  readonly chunkId: ChunkId;
  readonly certificate: ChunkCertificate;
  /** How long the sender's blocks reference certified chunks only, at most 65,535 ms. 0: they reference others too. */
  readonly suspendedMs: number;
}

/** From a full node to its upstream validator. Replaces the previous one; an empty one, or a lost connection, ends it. */
export interface Subscribe {
  /** All that the validator adopts, for nodes connected to less than a quorum. */
  readonly certificates: boolean;
  /** Without a connection to the subscriber: their proposals and chunks are relayed. */
  readonly members: readonly number[];
}

/** `kind` is the first byte, never reused. */
interface FrameKind<T> {
  readonly name: string;
  readonly kind: number;
  readonly lane: Lane;
  /** Includes the kind byte. */
  readonly bytesMax: number;
  readonly codec: Codec<T>;
}

function frameKind<T>(kind: number, lane: Lane, codec: Codec<T>): FrameKind<T> {
  return { name: codec.name, kind, lane, bytesMax: codec.bytesMax + 1, codec };
}

/** A step has at most four kinds of votes for a few views. */
export const FRAME_VOTES_MAX = 64;
export const FRAME_CERTIFICATES_MAX = 64;
const CONFIRMATIONS_MAX = 1;
/** One per kind. */
const HISTORY_VOTES_MAX = 4;
const HISTORY_CERTIFICATES_MAX = 4;
const HISTORY_PROPOSALS_MAX = 2;

interface ConsensusFrameWire {
  readonly certificates: readonly CertificateWire[];
  readonly votes: readonly VoteWire[];
  readonly confirmations: readonly ConfirmationWire[];
}

const consensusFrameCodec = createCodec<ConsensusFrame, ConsensusFrameWire>(
  'consensus frame',
  new ContainerType({
    certificates: new ListCompositeType(certificateType, FRAME_CERTIFICATES_MAX),
    votes: new ListCompositeType(voteType, FRAME_VOTES_MAX),
    confirmations: new ListCompositeType(confirmationType, CONFIRMATIONS_MAX),
  }),
  FRAME_CERTIFICATES_MAX * (CERTIFICATE_BYTES_MAX + 4) + FRAME_VOTES_MAX * VOTE_BYTES + 1024,
  {
    toWire: ({ certificates, votes, confirmations }) => ({
      certificates: certificates.map(certificateToWire),
      votes: votes.map(voteToWire),
      confirmations: confirmations.map(confirmationToWire),
    }),
    fromWire: ({ certificates, votes, confirmations }) => ({
      certificates: certificates.map(certificateFromWire),
      votes: votes.map(voteFromWire),
      confirmations: confirmations.map(confirmationFromWire),
    }),
  },
);

const heartbeatType = new ContainerType({
  epoch: uint32,
  view: uint53,
  finalizedHeight: uint53,
  committedHeight: uint53,
  refusedView: uint53,
});
const historyQueryType = new ContainerType({ epoch: uint32, nonce: uint53 });

interface HistoryAnswerWire extends Omit<HistoryAnswer, 'votes' | 'certificates'> {
  readonly votes: readonly VoteWire[];
  readonly certificates: readonly CertificateWire[];
}

const historyAnswerType = new ContainerType({
  epoch: uint32,
  nonce: uint53,
  votes: new ListCompositeType(voteType, HISTORY_VOTES_MAX),
  certificates: new ListCompositeType(certificateType, HISTORY_CERTIFICATES_MAX),
  proposals: new ListCompositeType(new ByteListType(PROPOSAL_BYTES_MAX), HISTORY_PROPOSALS_MAX),
});

const historyAnswerCodec = createCodec<HistoryAnswer, HistoryAnswerWire>(
  'history answer',
  historyAnswerType,
  historyAnswerType.maxSize,
  {
    toWire: ({ votes, certificates, ...answer }) => ({
      ...answer,
      votes: votes.map(voteToWire),
      certificates: certificates.map(certificateToWire),
    }),
    fromWire: ({ votes, certificates, ...wire }) => ({
      ...wire,
      votes: votes.map(voteFromWire),
      certificates: certificates.map(certificateFromWire),
    }),
  },
);

const chunkAckType = new ContainerType({
  chunkId: bytes32,
  signer: uint16,
  signature: new ByteVectorType(BLS_SIGNATURE_BYTES),
});

interface ChunkCertifiedWire {
  readonly chunkId: Uint8Array;
  readonly epoch: number;
  readonly signers: Uint8Array;
  readonly aggregate: Uint8Array;
  readonly suspendedMs: number;
}

const chunkCertifiedType = new ContainerType({
  chunkId: bytes32,
  epoch: uint32,
  signers: signerBitmapType,
  aggregate: new ByteVectorType(BLS_AGGREGATE_BYTES),
  suspendedMs: uint16,
});

const chunkCertifiedCodec = createCodec<ChunkCertified, ChunkCertifiedWire>(
  'chunk certificate',
  chunkCertifiedType,
  chunkCertifiedType.maxSize,
  {
    toWire: ({ chunkId, certificate, suspendedMs }) => ({
      chunkId,
      epoch: certificate.epoch,
      signers: signersToBitmap(certificate.signers),
      aggregate: certificate.aggregate,
      suspendedMs,
    }),
    fromWire: ({ chunkId, epoch: of, signers, aggregate, suspendedMs }) => ({
      chunkId: chunkId as ChunkId,
      certificate: { epoch: of as Epoch, signers: bitmapToSigners(signers), aggregate },
      suspendedMs,
    }),
  },
);

const subscribeType = new ContainerType({ certificates: new BooleanType(), members: signerBitmapType });

const subscribeCodec = createCodec<Subscribe, { readonly certificates: boolean; readonly members: Uint8Array }>(
  'subscribe',
  subscribeType,
  subscribeType.maxSize,
  {
    toWire: ({ certificates, members }) => ({ certificates, members: signersToBitmap(members) }),
    fromWire: ({ certificates, members }) => ({ certificates, members: bitmapToSigners(members) }),
  },
);

export const FRAMES = {
  consensus: frameKind<ConsensusFrame>(1, 'consensus', consensusFrameCodec),
  heartbeat: frameKind<Heartbeat>(2, 'consensus', createCodec('heartbeat', heartbeatType, heartbeatType.maxSize)),
  historyQuery: frameKind<HistoryQuery>(
    3,
    'consensus',
    createCodec('history query', historyQueryType, historyQueryType.maxSize),
  ),
  historyAnswer: frameKind<HistoryAnswer>(4, 'proposal', historyAnswerCodec),
  proposal: frameKind<Proposal>(5, 'proposal', proposalCodec),
  chunk: frameKind<ChunkFrame>(6, 'chunk', chunkFrameCodec),
  chunkAck: frameKind<ChunkAck>(7, 'consensus', createCodec('chunk ack', chunkAckType, chunkAckType.maxSize)),
  chunkCertified: frameKind<ChunkCertified>(8, 'consensus', chunkCertifiedCodec),
  transactions: frameKind<TransactionsFrame>(9, 'transaction', transactionsCodec),
  syncRequest: frameKind<SyncRequest>(10, 'sync', syncRequestCodec),
  syncResponse: frameKind<SyncResponse>(11, 'sync', syncResponseCodec),
  subscribe: frameKind<Subscribe>(12, 'consensus', subscribeCodec),
  batchOffer: frameKind<BatchOffer>(13, 'transaction', batchOfferCodec),
  batchAnswer: frameKind<BatchAnswer>(14, 'transaction', batchAnswerCodec),
} as const;

export type FrameName = keyof typeof FRAMES;
export type FrameValue<Name extends FrameName> = (typeof FRAMES)[Name] extends FrameKind<infer T> ? T : never;
export type Frame = { [Name in FrameName]: { readonly name: Name; readonly value: FrameValue<Name> } }[FrameName];

const NAME_OF_KIND = new Map(Object.entries(FRAMES).map(([name, { kind }]) => [kind, name as FrameName]));

export function encodeFrame<Name extends FrameName>(name: Name, value: FrameValue<Name>): Uint8Array {
  const { kind, codec } = FRAMES[name] as unknown as FrameKind<FrameValue<Name>>;
  return concatBytes(new Uint8Array([kind]), codec.encode(value));
}

/** Undefined: unknown kind. */
export function frameNameOf(frame: Uint8Array): FrameName | undefined {
  return frame[0] === undefined ? undefined : NAME_OF_KIND.get(frame[0]);
}

/** Without decoding, to drop unrequested responses cheaply. */
export function syncResponseRequestId(frame: Uint8Array): number {
  if (frame.length < 9) return -1;
  return Number(new DataView(frame.buffer, frame.byteOffset + 1, 8).getBigUint64(0, true));
}

export function decodeFrame(bytes: Uint8Array): Result<Frame, DecodeError> {
  const name = frameNameOf(bytes);
  if (name === undefined)
    return fail({ code: 'malformed', message: `unknown frame kind ${bytes[0] ?? 'of an empty frame'}` });
  const decoded = (FRAMES[name] as unknown as FrameKind<unknown>).codec.decode(bytes.subarray(1));
  return decoded.ok ? ok({ name, value: decoded.value } as Frame) : decoded;
}

/** By kind byte: checked before allocation. */
export const FRAME_LIMITS: ReadonlyMap<number, { readonly bytesMax: number; readonly lane: Lane }> = new Map(
  Object.values(FRAMES).map(({ kind, bytesMax, lane }) => [kind, { bytesMax, lane }]),
);
