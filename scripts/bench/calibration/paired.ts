/** Times near the noise of a block: work with and without, in turns, so that what slows the machine slows both. */
export interface Estimate {
  /** Median of the differences. */
  readonly value: number;
  /** Between these lies the median of all differences with a confidence of 95 %: ranks by the binomial distribution, whatever theirs is. */
  readonly low: number;
  readonly high: number;
}

/** Above, a figure and its double are no different: it says nothing about a factor of two. */
const SPREAD_MAX = 2;
/** Of a normal distribution: 95 % lie within so many standard deviations. */
const DEVIATIONS = 1.96;

export function estimateOf(differences: readonly number[]): Estimate {
  const ascending = [...differences].sort((a, b) => a - b);
  const { length } = ascending;
  const at = (rank: number) => ascending[Math.min(length - 1, Math.max(0, rank))] as number;
  const reach = (DEVIATIONS * Math.sqrt(length)) / 2;
  const middle = (at(Math.floor((length - 1) / 2)) + at(Math.ceil((length - 1) / 2))) / 2;
  return { value: middle, low: at(Math.floor(length / 2 - reach) - 1), high: at(Math.ceil(length / 2 + reach)) };
}

export const isMeasured = ({ low, high }: Pick<Estimate, 'low' | 'high'>): boolean =>
  low > 0 && high <= SPREAD_MAX * low;

/** Which of the two is first alternates, since the second finds warmer caches. */
export async function pairedUs(
  pairs: number,
  withWork: () => Promise<number> | number,
  without: () => Promise<number> | number,
): Promise<readonly number[]> {
  const differences: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const isFirst = pair % 2 === 0;
    const before = isFirst ? 0 : await without();
    const work = await withWork();
    differences.push(work - (isFirst ? await without() : before));
  }
  return differences;
}
