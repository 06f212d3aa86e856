/** Committees with known secrets, and votes that are bad in chosen ways. */
import type { EpochKeys, QuorumRequest, SignedVote, VoteRequest } from '@slipstream/ports';
import { sha256, utf8 } from '@slipstream/primitives';
import { type BlsSigner, createBlsSigner, createInlineVerifier, generateBlsSecretKey } from '../src/native/index.ts';
import type { VerifierService } from '../src/native/verifier-service.ts';

export const EPOCH = 0;

export interface TestCommittee {
  readonly signers: readonly BlsSigner[];
  readonly publicKeys: readonly Uint8Array[];
  /** Of EPOCH. */
  readonly committees: readonly EpochKeys[];
  readonly service: VerifierService;
}

export function secretKeyOf(index: number): Uint8Array {
  return generateBlsSecretKey(sha256(utf8(`committee member ${index}`)));
}

export function committeeOf(size: number): TestCommittee {
  return committeeWith(Array.from({ length: size }, (_, index) => secretKeyOf(index)));
}

export function committeeWith(secretKeys: readonly Uint8Array[]): TestCommittee {
  const signers = secretKeys.map(createBlsSigner);
  const publicKeys = signers.map((signer) => signer.publicKey);
  const committees = [{ epoch: EPOCH, publicKeys }];
  const [secretKey] = secretKeys;
  return {
    signers,
    publicKeys,
    committees,
    service: createInlineVerifier({ committees, ...(secretKey && { secretKey }) }),
  };
}

export const MESSAGE = sha256(utf8('what the quorum signs'));
export const OTHER_MESSAGE = sha256(utf8('something else'));

export function vote(signer: number, signature: Uint8Array, verified = false): SignedVote {
  return { signer, signature, verified };
}

export function voteRequest(message: Uint8Array, signer: number, signature: Uint8Array): VoteRequest {
  return { epoch: EPOCH, message, signer, signature };
}

/** `wrong`: valid points that sign something else. */
export function signaturesOf({ signers }: TestCommittee): { good: Uint8Array[]; wrong: Uint8Array[] } {
  return {
    good: signers.map((signer) => signer.sign(MESSAGE)),
    wrong: signers.map((signer) => signer.sign(OTHER_MESSAGE)),
  };
}

export function quorumOf(
  { good, wrong }: { good: readonly Uint8Array[]; wrong: readonly Uint8Array[] },
  bad: ReadonlySet<number>,
): QuorumRequest {
  return {
    epoch: EPOCH,
    message: MESSAGE,
    votes: good.map((signature, i) => vote(i, (bad.has(i) ? wrong[i] : signature) as Uint8Array)),
  };
}
