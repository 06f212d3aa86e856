/** Verdicts on the authority of a transaction. */
import type { Budget, IssuerMeter } from '@slipstream/crypto';
import type { AuthorityFault } from '@slipstream/types';

/** `not-now`: the budget of its payer is spent. */
export type Verdict = 'good' | 'not-now' | AuthorityFault;

/** On a transaction of a chunk: checked without a budget, so the same on every node. */
export type ChunkVerdict = Exclude<Verdict, 'not-now'>;

/** An address or a peer that pays for checks. */
export interface Payer {
  readonly name: string;
  readonly budget: Budget;
}

/** Charges the bad signatures among these to their sender. */
export function noteBadSignatures(
  meter: Pick<IssuerMeter, 'failed'>,
  source: string,
  verdicts: readonly Verdict[],
): void {
  const bad = verdicts.filter((verdict) => verdict === 'bad-signature').length;
  if (bad > 0) meter.failed(source, bad);
}
