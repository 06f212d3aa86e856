/** Admission rules by fees: prices of the last committed block, and how far they may rise while a transaction waits. */
import type { DisseminationRules } from '@slipstream/dissemination';
import { CHUNK_WINDOWS, type EpochRecord, feeOf, forecastPrices, urgentMaxFee } from '@slipstream/types';

type FeeRules = Required<Pick<DisseminationRules, 'feeOf' | 'urgentMaxFee' | 'haveFeesRisen'>>;

interface Forecasts {
  readonly prices: readonly bigint[];
  /** Over the life of a chunk. */
  readonly ofChunk: readonly bigint[];
  /** Over the life of a transaction. */
  readonly ofTransaction: readonly bigint[];
  readonly isFree: boolean;
}

export function feeRules(prices: () => readonly bigint[], minimumPrices: () => readonly bigint[]): FeeRules {
  let known: Forecasts = forecastsOf(prices());
  let asked: readonly bigint[] = known.prices;

  function forecastsOf(now: readonly bigint[]): Forecasts {
    const minimum = minimumPrices();
    const ofChunk = forecastPrices(now, minimum, CHUNK_WINDOWS);
    const isFree = ofChunk.every((price) => price === 0n);
    return { prices: now, ofChunk, ofTransaction: forecastPrices(now, minimum), isFree };
  }

  /** Forecasts are made once per block, because they cost as much as thirty fees. */
  function current(): Forecasts {
    const now = prices();
    if (now !== known.prices) known = forecastsOf(now);
    return known;
  }

  return {
    feeOf(units) {
      const { isFree, ofChunk } = current();
      return isFree ? 0n : feeOf(units, ofChunk);
    },
    urgentMaxFee: (transaction, units) => urgentMaxFee(transaction, units, current().ofTransaction),
    haveFeesRisen() {
      const before = asked;
      asked = prices();
      return asked.some((price, i) => price > (before[i] as bigint));
    },
  };
}

/** A transaction may wait until the next epoch, which may raise minimum prices from zero: the higher of both, where the next one is sealed. */
export function highestMinimums(records: readonly EpochRecord[], current: EpochRecord): readonly bigint[] {
  const { minimumPrices } = current.parameters.fees;
  const next = records.find(({ epoch }) => epoch === current.epoch + 1)?.parameters.fees.minimumPrices ?? minimumPrices;
  return minimumPrices.map((price, i) => (price > (next[i] as bigint) ? price : (next[i] as bigint)));
}
