import type { Budget, IssuerMeter } from '@slipstream/crypto';
import type { AuthorityFault } from '@slipstream/types';

/** On a transaction's authority. `not-now`: its payer's budget is spent. */
export type Verdict = 'good' | 'not-now' | AuthorityFault;

/** Checked without a budget, so the same on every node. */
export type ChunkVerdict = Exclude<Verdict, 'not-now'>;

/** An address or a peer. */
export interface Payer {
  readonly name: string;
  readonly budget: Budget;
}

export function noteBadSignatures(
  meter: Pick<IssuerMeter, 'failed'>,
  source: string,
  verdicts: readonly Verdict[],
): void {
  const bad = verdicts.filter((verdict) => verdict === 'bad-signature').length;
  if (bad > 0) meter.failed(source, bad);
}
