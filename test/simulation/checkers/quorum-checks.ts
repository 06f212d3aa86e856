/**
 * Observes a node's quorum checks: finds votes that their signers did not sign. Each vote of a liar is checked alone, independently of sums
 * and bisection. Votes of honest members are not checked, because no check may blame them.
 */
import type { Verifier } from '@slipstream/ports';

/** Name of a note with CheckedLies. */
export const QUORUM_CHECKED = 'quorum-checked';

export interface CheckedLies {
  /** Members whose votes in the check were bad. */
  readonly liars: readonly number[];
  /** All of them had to be found. Votes that encode no point are found without a pairing; the rest is left for the next check. */
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
