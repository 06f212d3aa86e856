/** Checks before queueing. Failures are bugs of the caller. */
import type { AccountSignature, AggregateRequest, CertificateRequest, QuorumRequest } from '@slipstream/ports';
import { COMMITTEE_MEMBERS_MAX } from '@slipstream/types';
import { CryptoError } from '../errors.ts';

/** Every signed message of a validator is a SHA-256. */
const MESSAGE_BYTES = 32;
/** A full chunk. */
export const ACCOUNTS_MAX = 10_000;
const SIGN_MESSAGES_MAX = 64;

/** Throws CryptoError `invalid-request` unless the votes are of distinct committee members. */
export function checkQuorumRequest(request: QuorumRequest, committeeSize: number): void {
  checkMessage(request.message);
  const seen = new Set<number>();
  for (const { signer } of request.votes) {
    checkSigner(signer, committeeSize);
    if (seen.has(signer)) throw invalid(`signer ${signer} is there twice`);
    seen.add(signer);
  }
  if (seen.size === 0) throw invalid('a quorum without votes');
}

/** Throws CryptoError `invalid-request`. */
export function checkVoteRequest(message: Uint8Array, signer: number, committeeSize: number): void {
  checkMessage(message);
  checkSigner(signer, committeeSize);
}

/** Signers out of range or order come from peers and make the certificate false. Throws CryptoError `invalid-request`. */
export function checkCertificateRequest(request: CertificateRequest): void {
  checkMessage(request.message);
}

/** Invalid keys make the certificate false. Throws CryptoError `invalid-request`. */
export function checkAggregateRequest(request: AggregateRequest): void {
  checkMessage(request.message);
  if (request.publicKeys.length > COMMITTEE_MEMBERS_MAX) throw invalid(`${request.publicKeys.length} keys in a sum`);
}

/** Throws CryptoError `invalid-request`. */
export function checkAccountsRequest(batch: readonly AccountSignature[]): void {
  if (batch.length > ACCOUNTS_MAX)
    throw invalid(`${batch.length} account signatures, at most ${ACCOUNTS_MAX} in a call`);
}

/** Throws CryptoError `invalid-request`. */
export function checkSignRequest(messages: readonly Uint8Array[]): void {
  if (messages.length > SIGN_MESSAGES_MAX)
    throw invalid(`${messages.length} messages, at most ${SIGN_MESSAGES_MAX} in a call`);
  for (const message of messages) checkMessage(message);
}

function checkMessage(message: Uint8Array): void {
  if (message.length !== MESSAGE_BYTES)
    throw invalid(`a signed message has ${MESSAGE_BYTES} bytes, not ${message.length}`);
}

function checkSigner(signer: number, committeeSize: number): void {
  if (!Number.isInteger(signer) || signer < 0 || signer >= committeeSize) {
    throw invalid(`there is no committee member ${signer} of ${committeeSize}`);
  }
}

function invalid(what: string): CryptoError {
  return new CryptoError('invalid-request', `cannot verify: ${what}`);
}
