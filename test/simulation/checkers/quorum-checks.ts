/**
 * Votes that their signers did not sign. A liar's votes are checked one by one, without sums and bisection; honest members may not be
 * blamed.
 */
import type { Verifier } from '@slipstream/ports';

export const QUORUM_CHECKED = 'quorum-checked';

export interface CheckedLies {
  /** With bad votes. */
  readonly liars: readonly number[];
  /** All had to be found. Votes that encode no point are found without a pairing; the rest is left for the next check. */
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
      const { epoch, message } = request;
      for (const { signer, signature } of request.votes) {
        if (!liars.has(signer)) continue;
        if (!(await verifier.checkVote({ epoch, message, signer, signature }, 'consensus'))) bad.push(signer);
      }
      if (bad.length > 0) tell({ liars: bad, each: result.checks > 0, certified: result.aggregate !== undefined });
      return result;
    },
  };
}
