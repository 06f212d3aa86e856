/**
 * The knee: the highest rate at which the p99 of finality stays under a bound and no transaction is refused or lost.
 *
 *   grow by half until a step fails (or the ceiling) --> halve the gap between the best that held and the least that failed
 *   --> until the gap is small enough
 *
 * A failed step is repeated once, because on a shared machine other processes can disturb it.
 */

export interface Step {
  readonly transactionsPerSecond: number;
  /** Why the rate did not hold; undefined when it held. */
  readonly fault: string | undefined;
}

interface KneeOptions {
  readonly from: number;
  readonly ceiling: number;
  /** The search ends at this gap, a share of the rate. */
  readonly precision: number;
  readonly stepsMax: number;
}

interface Knee {
  /** The highest rate that held; 0 without any. */
  readonly transactionsPerSecond: number;
  readonly steps: readonly Step[];
}

const GROWTH = 1.5;
const ATTEMPTS = 2;

export async function findKnee(
  measure: (transactionsPerSecond: number) => Promise<string | undefined>,
  { from, ceiling, precision, stepsMax }: KneeOptions,
): Promise<Knee> {
  const steps: Step[] = [];
  let held = 0;
  let failed: number | undefined;

  async function holds(transactionsPerSecond: number): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS && steps.length < stepsMax; attempt++) {
      const fault = await measure(transactionsPerSecond);
      steps.push({ transactionsPerSecond, fault });
      if (fault === undefined) return true;
    }
    return false;
  }

  let next: number | undefined = Math.min(from, ceiling);
  while (next !== undefined && steps.length < stepsMax) {
    if (await holds(next)) held = next;
    else failed = next;
    next = following(held, failed);
  }
  return { transactionsPerSecond: held, steps };

  function following(best: number, worst: number | undefined): number | undefined {
    if (worst === undefined) return best >= ceiling ? undefined : Math.min(ceiling, Math.round(best * GROWTH));
    const middle = Math.round((best + worst) / 2);
    return worst - best <= precision * worst || middle === best || middle === worst ? undefined : middle;
  }
}
