/**
 * Outgoing frames: a frame with this node's own signature takes what is durable (consensus.md, I3).
 *
 * A new kind of frame does not compile until it is listed here.
 */
import { type Durable, declareOutgoing, type OutgoingFrame } from '@slipstream/primitives';
import type { Certificate } from './certificate.ts';
import { type ConsensusFrame, encodeFrame, type FrameName, type FrameValue } from './frames.ts';
import type { ChunkId } from './ids.ts';
import type { ChunkFrame } from './payload-frames.ts';
import type { Confirmation, Proposal } from './proposal.ts';
import type { Vote } from './vote.ts';

export interface OutgoingConsensusFrame extends ConsensusFrame {
  /** Of quorums: aggregates bind no single validator. */
  readonly certificates: readonly Certificate[];
  readonly votes: readonly Durable<Vote>[];
  readonly confirmations: readonly Durable<Confirmation>[];
}

type Unsigned<Name extends FrameName> = FrameValue<Name>;

interface OutgoingValues {
  readonly consensus: OutgoingConsensusFrame;
  readonly proposal: Durable<Proposal>;
  /** An own chunk: its header is signed. */
  readonly chunk: ChunkFrame & { readonly chunkId: Durable<ChunkId> };
  readonly chunkAck: FrameValue<'chunkAck'> & { readonly chunkId: Durable<ChunkId> };
  readonly heartbeat: Unsigned<'heartbeat'>;
  readonly historyQuery: Unsigned<'historyQuery'>;
  /** Signatures of the asking validator. */
  readonly historyAnswer: Unsigned<'historyAnswer'>;
  readonly chunkCertified: Unsigned<'chunkCertified'>;
  readonly transactions: Unsigned<'transactions'>;
  readonly syncRequest: Unsigned<'syncRequest'>;
  /** Chunks that were asked for by id. An own id is known outside once its chunk, or a block that references it, has left. */
  readonly syncResponse: Unsigned<'syncResponse'>;
  readonly subscribe: Unsigned<'subscribe'>;
  /** Signatures of clients. */
  readonly batchOffer: Unsigned<'batchOffer'>;
  readonly batchAnswer: Unsigned<'batchAnswer'>;
}

export function outgoingFrame<Name extends FrameName>(name: Name, value: OutgoingValues[Name]): OutgoingFrame {
  return declareOutgoing(encodeFrame(name, value as FrameValue<Name>));
}

/** An encoded frame whose signatures are other nodes'. */
export function relayedFrame(frame: Uint8Array): OutgoingFrame {
  return declareOutgoing(frame);
}
