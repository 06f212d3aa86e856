/** Checks before queueing. Failures are bugs of the caller. */
import {
  ACCOUNT_SIGNATURES_MAX,
  type AccountSignature,
  DISTILLED_CLAIMS_MAX,
  type DistilledClaim,
  type QuorumRequest,
  SHARES_MAX,
  type ShareRequest,
  type Statement,
} from '@slipstream/ports';
import { BLS_UNCOMPRESSED_KEY_BYTES, COMMITTEE_MEMBERS_MAX } from '@slipstream/types';
import { CryptoError } from '../errors.ts';
import { type Committees, isEpoch } from './committees.ts';

/** Every signed message of a validator is a SHA-256. */
const MESSAGE_BYTES = 32;
const SIGN_MESSAGES_MAX = 64;
/** Two for each credential of a full chunk. */
const STATEMENTS_MAX = 2 * ACCOUNT_SIGNATURES_MAX;

/** Throws CryptoError `unknown-epoch`, or `invalid-request` unless the votes are of distinct committee members. */
export function checkQuorumRequest(request: QuorumRequest, committees: Committees): void {
  const { epoch } = request;
  const committeeSize = committees.get(epoch)?.size;
  if (committeeSize === undefined) {
    throw new CryptoError('unknown-epoch', `cannot verify: the committee of epoch ${epoch} is not known`, { epoch });
  }
  checkMessage(request.message);
  const seen = new Set<number>();
  for (const { signer } of request.votes) {
    checkSigner(signer, committeeSize);
    if (seen.has(signer)) throw invalid(`signer ${signer} is there twice`);
    seen.add(signer);
  }
  if (seen.size === 0) throw invalid('a quorum without votes');
}

/**
 * Unknown epochs, signers out of range or order, and invalid keys come from peers and make a statement false. Throws CryptoError
 * `invalid-request` for a vote of no member.
 */
export function checkBatchRequest(batch: readonly Statement[], committees: Committees): void {
  if (batch.length > STATEMENTS_MAX) throw invalid(`${batch.length} statements, at most ${STATEMENTS_MAX} in a call`);
  for (const statement of batch) {
    checkMessage(statement.message);
    if (statement.kind !== 'aggregate' && !isEpoch(statement.epoch)) throw invalid(`no epoch: ${statement.epoch}`);
    if (statement.kind === 'vote') {
      checkSigner(statement.signer, committees.get(statement.epoch)?.size ?? COMMITTEE_MEMBERS_MAX);
    }
    if (statement.kind === 'aggregate' && statement.publicKeys.length > COMMITTEE_MEMBERS_MAX) {
      throw invalid(`${statement.publicKeys.length} keys in a sum`);
    }
  }
}

/** Throws CryptoError `invalid-request`. */
export function checkAccountsRequest(batch: readonly AccountSignature[]): void {
  if (batch.length > ACCOUNT_SIGNATURES_MAX)
    throw invalid(`${batch.length} account signatures, at most ${ACCOUNT_SIGNATURES_MAX} in a call`);
}

/** Throws CryptoError `invalid-request`. */
export function checkDistilledRequest(claims: readonly DistilledClaim[]): void {
  if (claims.length > DISTILLED_CLAIMS_MAX)
    throw invalid(`${claims.length} distilled batches, at most ${DISTILLED_CLAIMS_MAX} in a call`);
  for (const { message } of claims) checkMessage(message);
}

/** Throws CryptoError `invalid-request`. */
export function checkSharesRequest({ message, shares }: ShareRequest): void {
  checkMessage(message);
  if (shares.length > SHARES_MAX) throw invalid(`${shares.length} shares, at most ${SHARES_MAX} in a call`);
  for (const { keys } of shares) {
    const isWhole = keys.length > 0 && keys.length % BLS_UNCOMPRESSED_KEY_BYTES === 0;
    if (!isWhole) throw invalid(`${keys.length} bytes are no list of keys`);
  }
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
