import { ByteVectorType, ContainerType, createCodec } from '@slipstream/primitives';
import { BLS_SIGNATURE_BYTES } from './limits.ts';
import type { Subject } from './subject.ts';
import { type SubjectWire, subjectFromWire, subjectToWire, subjectType, uint16 } from './subject-wire.ts';

export interface Vote<S extends Subject = Subject> {
  readonly subject: S;
  /** Committee index. */
  readonly signer: number;
  /** 192 bytes, uncompressed. */
  readonly signature: Uint8Array;
}

export const voteType = new ContainerType({
  subject: subjectType,
  signer: uint16,
  signature: new ByteVectorType(BLS_SIGNATURE_BYTES),
});

export interface VoteWire {
  readonly subject: SubjectWire;
  readonly signer: number;
  readonly signature: Uint8Array;
}

export function voteToWire(vote: Vote): VoteWire {
  return { subject: subjectToWire(vote.subject), signer: vote.signer, signature: vote.signature };
}

export function voteFromWire(wire: VoteWire): Vote {
  return { subject: subjectFromWire(wire.subject), signer: wire.signer, signature: wire.signature };
}

export const VOTE_BYTES = voteType.maxSize;

export const voteCodec = createCodec<Vote, VoteWire>('vote', voteType, VOTE_BYTES, {
  toWire: voteToWire,
  fromWire: voteFromWire,
});
