/**
 * One check for a quorum: decode, sum, one pairing check of the sum against the sum of the keys; bisection if it fails.
 *
 * - Votes come uncompressed: decoding one is 2 us instead of 24 (no square root). None is group-checked by itself: the sum is,
 *   as one point, since what fails is told apart by the bisection anyway.
 * - The check of the sum is unblinded: it is the certificate. Its votes are NOT thereby valid one by one.
 * - What encodes no point, or the identity, is an offence by itself, without a pairing; the rest is left unjudged, as the
 *   quorum may be gone without it.
 */
import type { QuorumRequest, QuorumResult, SignedVote } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { BLS_SIGNATURE_BYTES } from '@slipstream/types';
import { findOffenders, type GroupTests } from '../offenders.ts';
import {
  type BlsSignature,
  blindedSum,
  decodeSignatureUnchecked,
  isIdentityKey,
  isIdentitySignature,
  sumPublicKeys,
  sumSignatures,
  verifyChecked,
  verifyInGroup,
} from './binding.ts';
import type { CommitteeKeys } from './committee-keys.ts';

export interface QuorumCheckOptions {
  readonly monotonicMs: () => number;
  /** Called before each pairing check of a bisection: a thread serves here what is more urgent than punishing. */
  readonly pause: () => void;
}

interface DecodedVote {
  readonly vote: SignedVote;
  readonly signature: BlsSignature;
}

/** The request names distinct signers of the committee (see checkQuorumRequest). */
export function checkQuorum(request: QuorumRequest, keys: CommitteeKeys, options: QuorumCheckOptions): QuorumResult {
  const startMs = options.monotonicMs();
  const { decoded, undecodable } = decode(request.votes);
  const result = (found: Omit<QuorumResult, 'tookMs'>): QuorumResult => ({
    ...found,
    tookMs: options.monotonicMs() - startMs,
  });
  if (undecodable.length > 0) {
    return result({ aggregate: undefined, offenders: undecodable, verified: [], checks: 0 });
  }

  const total = sumSignatures(decoded.map(({ signature }) => signature));
  const suspects = decoded.filter(({ vote }) => !vote.verified);
  if (suspects.length === 0 || verifyChecked(request.message, keys.sum(signersOf(request.votes)), total)) {
    const checks = suspects.length === 0 ? 0 : 1;
    return result({ aggregate: new Uint8Array(total.toBytes(true)), offenders: [], verified: [], checks });
  }

  const tests = createPairingTests(request.message, suspects, keys, options.pause);
  const verdict = findOffenders(
    suspects.map((_, position) => position),
    tests,
  );
  const signerAt = (position: number): number => (suspects[position] as DecodedVote).vote.signer;
  const offenders = verdict.offenders.map(signerAt).sort(ascending);
  const verified = verdict.valid.map(signerAt).sort(ascending);
  assert(offenders.length + verified.length === suspects.length, 'bisection judges every suspect');
  return result({ aggregate: undefined, offenders, verified, checks: 1 + tests.checks() });
}

/** Group tests over positions in `suspects`, by pairing checks that are counted. */
function createPairingTests(
  message: Uint8Array,
  suspects: readonly DecodedVote[],
  keys: CommitteeKeys,
  pause: () => void,
): GroupTests & { checks(): number } {
  let checks = 0;
  const at = (position: number): DecodedVote => suspects[position] as DecodedVote;

  function sumHolds(members: readonly number[]): boolean {
    pause();
    checks++;
    const signature = sumSignatures(members.map((position) => at(position).signature));
    const publicKey = sumPublicKeys(members.map((position) => keys.key(at(position).vote.signer)));
    // Colluders can choose keys that cancel; the equation then asks for a sum of signatures that cancels too.
    if (isIdentityKey(publicKey)) return isIdentitySignature(signature);
    return verifyChecked(message, publicKey, signature);
  }

  function allValid(members: readonly number[]): boolean {
    pause();
    checks++;
    const sum = blindedSum(
      members.map((position) => ({ pk: keys.key(at(position).vote.signer), sig: at(position).vote.signature })),
    );
    return sum !== undefined && verifyInGroup(message, sum.publicKey, sum.signature);
  }

  return { sumHolds, allValid, checks: () => checks };
}

function decode(votes: readonly SignedVote[]): { decoded: DecodedVote[]; undecodable: number[] } {
  const decoded: DecodedVote[] = [];
  const undecodable: number[] = [];
  for (const vote of votes) {
    const signature = decodeSignatureUnchecked(vote.signature, BLS_SIGNATURE_BYTES);
    if (signature === undefined) undecodable.push(vote.signer);
    else decoded.push({ vote, signature });
  }
  return { decoded, undecodable: undecodable.sort(ascending) };
}

function signersOf(votes: readonly SignedVote[]): number[] {
  return votes.map((vote) => vote.signer).sort(ascending);
}

function ascending(a: number, b: number): number {
  return a - b;
}
