/** The usual bisection, without inference: checks the blinded sum of a set; if it fails, of both halves. */
import type { SignedVote } from '@slipstream/ports';
import { type BlsPublicKey, blindedSum, verifyInGroup } from '../src/native/binding.ts';
import type { CommitteeKeys } from '../src/native/committee-keys.ts';

export interface Bisected {
  readonly offenders: number[];
  readonly checks: number;
}

export function naiveBisection(message: Uint8Array, votes: readonly SignedVote[], keys: CommitteeKeys): Bisected {
  const sum = blindedSum(
    votes.map(({ signer, signature }) => ({ pk: keys.key(signer) as BlsPublicKey, sig: signature })),
  );
  if (sum !== undefined && verifyInGroup(message, sum.publicKey, sum.signature)) return { offenders: [], checks: 1 };
  if (votes.length === 1) return { offenders: votes.map(({ signer }) => signer), checks: 1 };
  const middle = Math.ceil(votes.length / 2);
  const left = naiveBisection(message, votes.slice(0, middle), keys);
  const right = naiveBisection(message, votes.slice(middle), keys);
  return { offenders: [...left.offenders, ...right.offenders], checks: 1 + left.checks + right.checks };
}
