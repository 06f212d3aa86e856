/**
 * One check for a quorum: decode, sum, one pairing check against the sum of the keys; bisection if it fails.
 *
 * - Votes are uncompressed, which decode without a square root. Only the sum is group-checked: bisection finds the members that break it.
 * - The sum is unblinded: it is the certificate. It does NOT prove the single votes.
 * - An encoding of no point, or of the identity, is an offence without a pairing, and so is a vote under an invalid key. The other votes are
 *   then left unchecked, since the quorum may be lost without it.
 */
import type { QuorumRequest, QuorumResult, SignedVote } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { BLS_SIGNATURE_BYTES } from '@slipstream/types';
import { findOffenders, type GroupTests } from '../offenders.ts';
import {
  type BlsPublicKey,
  type BlsSignature,
  blindedSum,
  decodeSignatureUnchecked,
  isIdentityKey,
  isIdentitySignature,
  mayEncodeSignature,
  sumEncodedSignatures,
  sumPublicKeys,
  verifyChecked,
  verifyInGroup,
} from './binding.ts';
import type { CommitteeKeys } from './committee-keys.ts';

interface QuorumCheckOptions {
  readonly monotonicMs: () => number;
  /** Before each pairing check of a bisection, so that a thread can serve more urgent work. */
  readonly pause: () => void;
}

/** Signers: distinct committee members (checkQuorumRequest). */
export function checkQuorum(request: QuorumRequest, keys: CommitteeKeys, options: QuorumCheckOptions): QuorumResult {
  const startMs = options.monotonicMs();
  const found = judge(request, keys, options.pause);
  return { ...found, tookMs: options.monotonicMs() - startMs };
}

function judge(
  { message, votes }: QuorumRequest,
  keys: CommitteeKeys,
  pause: () => void,
): Omit<QuorumResult, 'tookMs'> {
  const total = sumVotes(votes);
  const suspects = votes.filter(({ verified }) => !verified);
  const signers = votes.map(({ signer }) => signer).sort(ascending);
  const publicKey = total && keys.sum(signers);
  if (total === undefined || publicKey === undefined) {
    const isOffender = ({ signer, signature }: SignedVote): boolean =>
      !encodesPoint(signature) || keys.key(signer) === undefined;
    const offenders = votes.filter(isOffender).map(({ signer }) => signer);
    assert(offenders.length > 0, 'votes that cannot be summed hold one that encodes no point, or of an invalid key');
    return { aggregate: undefined, offenders: offenders.sort(ascending), verified: [], checks: 0 };
  }

  if (suspects.length === 0 || verifyChecked(message, publicKey, total)) {
    const checks = suspects.length === 0 ? 0 : 1;
    return { aggregate: new Uint8Array(total.toBytes(true)), offenders: [], verified: [], checks };
  }

  const tests = createPairingTests(message, suspects, keys, pause);
  const verdict = findOffenders([...suspects.keys()], tests);
  const signerAt = (position: number): number => (suspects[position] as SignedVote).signer;
  const offenders = verdict.offenders.map(signerAt).sort(ascending);
  const verified = verdict.valid.map(signerAt).sort(ascending);
  assert(offenders.length + verified.length === suspects.length, 'bisection judges every suspect');
  return { aggregate: undefined, offenders, verified, checks: 1 + tests.checks() };
}

/** Undefined: a signature is no point, or the identity. */
function sumVotes(votes: readonly SignedVote[]): BlsSignature | undefined {
  const encoded = votes.map(({ signature }) => signature);
  if (!encoded.every((signature) => mayEncodeSignature(signature, BLS_SIGNATURE_BYTES))) return undefined;
  return sumEncodedSignatures(encoded);
}

function encodesPoint(signature: Uint8Array): boolean {
  return decodeSignatureUnchecked(signature, BLS_SIGNATURE_BYTES) !== undefined;
}

/** Over positions in `suspects`; counts the pairing checks. */
function createPairingTests(
  message: Uint8Array,
  suspects: readonly SignedVote[],
  keys: CommitteeKeys,
  pause: () => void,
): GroupTests & { checks(): number } {
  let checks = 0;
  const at = (position: number): SignedVote => suspects[position] as SignedVote;
  const keyAt = (position: number): BlsPublicKey => keys.key(at(position).signer) as BlsPublicKey;

  function sumHolds(members: readonly number[]): boolean {
    pause();
    checks++;
    const signature = sumEncodedSignatures(members.map((position) => at(position).signature));
    assert(signature !== undefined, 'what was summed once can be summed in part');
    const publicKey = sumPublicKeys(members.map(keyAt));
    // Colluders' keys may cancel; then their signatures must too.
    if (isIdentityKey(publicKey)) return isIdentitySignature(signature);
    return verifyChecked(message, publicKey, signature);
  }

  function allValid(members: readonly number[]): boolean {
    pause();
    checks++;
    const sum = blindedSum(members.map((position) => ({ pk: keyAt(position), sig: at(position).signature })));
    return sum !== undefined && verifyInGroup(message, sum.publicKey, sum.signature);
  }

  return { sumHolds, allValid, checks: () => checks };
}

function ascending(a: number, b: number): number {
  return a - b;
}
