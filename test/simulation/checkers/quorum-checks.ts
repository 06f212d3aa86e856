/**
 * Looks over a node's shoulder when it checks a quorum: were there votes that their signers did not sign? Each vote of a liar is
 * checked alone, which shares nothing with sums and bisection; those of honest members are left out, for no check may blame them.
 */
import type { Verifier } from '@slipstream/ports';

/** A note whose data are the members that had signed badly. */
export const QUORUM_CHECKED = 'quorum-checked';

export function watchQuorums(
  verifier: Verifier,
  liars: ReadonlySet<number>,
  tell: (offenders: readonly number[]) => void,
): Verifier {
  return {
    ...verifier,
    async checkQuorum(request) {
      const result = await verifier.checkQuorum(request);
      const offenders: number[] = [];
      for (const { signer, signature } of request.votes) {
        if (!liars.has(signer)) continue;
        if (!(await verifier.checkVote(request.message, signer, signature, 'consensus'))) offenders.push(signer);
      }
      if (offenders.length > 0) tell(offenders);
      return result;
    },
  };
}
