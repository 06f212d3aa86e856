/** Rules of admission by prices: the last committed block's, and what may become of them while a transaction waits. */
import type { DisseminationRules } from '@slipstream/dissemination';
import { type FeeParameters, feeOf, forecastPrices, urgentMaxFee } from '@slipstream/types';

export function feeRules(
  prices: () => readonly bigint[],
  { minimumPrices }: Pick<FeeParameters, 'minimumPrices'>,
): Required<Pick<DisseminationRules, 'feeOf' | 'urgentMaxFee'>> {
  let known: readonly bigint[] | undefined;
  let forecast: readonly bigint[] = [];

  /** Made once a block: it takes as long as thirty fees. */
  function forecastNow(): readonly bigint[] {
    const now = prices();
    if (now !== known) forecast = forecastPrices(now, minimumPrices);
    known = now;
    return forecast;
  }

  return {
    feeOf: (units) => feeOf(units, prices()),
    urgentMaxFee: (transaction, units) => urgentMaxFee(transaction, units, forecastNow()),
  };
}
