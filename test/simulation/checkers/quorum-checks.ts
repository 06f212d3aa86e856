/**
 * Looks over a node's shoulder when it checks a quorum: were there votes that their signers did not sign? Each vote of a liar is
 * checked alone, which shares nothing with sums and bisection; those of honest members are left out, for no check may blame them.
 */
import type { Verifier } from '@slipstream/ports';

/** A note with CheckedLies. */
export const QUORUM_CHECKED = 'quorum-checked';

export interface CheckedLies {
  /** Members whose votes in the check were bad. */
  readonly liars: readonly number[];
  /** All of them were to be found. What encodes no point is found without a pairing, and the rest is left for the next check. */
  readonly each: boolean;
  readonly certified: boolean;
}

export function watchQuorums(
  verifier: Verifier,
  liars: ReadonlySet<number>,
  tell: (found: CheckedLies) => void,
): Verifier {
  return {
    ...verifier,
    async checkQuorum(request) {
      const result = await verifier.checkQuorum(request);
      const bad: number[] = [];
      for (const { signer, signature } of request.votes) {
        if (!liars.has(signer)) continue;
        if (!(await verifier.checkVote(request.message, signer, signature, 'consensus'))) bad.push(signer);
      }
      if (bad.length > 0) tell({ liars: bad, each: result.checks > 0, certified: result.aggregate !== undefined });
      return result;
    },
  };
}
