import { findKnee } from '@slipstream/app-loadgen';

interface KneeSearch {
  readonly from: number;
  readonly ceiling: number;
  readonly stepsMax: number;
}

/**
 * The highest rate of short steps; `measure` gives a fault when a rate does not hold. After an overload the nodes' client windows are small,
 * and would refuse the next load: a rate that held comes in between.
 */
export function findRestedKnee(
  measure: (transactionsPerSecond: number) => Promise<string | undefined>,
  search: KneeSearch,
): ReturnType<typeof findKnee> {
  let rest = search.from;
  async function step(rate: number): Promise<string | undefined> {
    const fault = await measure(rate);
    if (fault === undefined) rest = rate;
    else await measure(rest);
    return fault;
  }
  return findKnee(step, { ...search, precision: 0.08 });
}
