/** The highest rate of rows that holds: steps of twice the rate, until one does not hold twice, then a share of the last one, held longer. */
import { readBalances } from './audit.ts';
import { auditor, type Bench, type Found, faultOf, press } from './press.ts';

export interface RateSearch {
  readonly from: number;
  readonly ceiling: number;
  /** At the first rate; V8 compiles for about a minute, and a cold node answers shares late. */
  readonly warmSeconds: number;
  readonly stepSeconds: number;
  readonly seconds: number;
}

/** Of the step that did not hold. */
const SHARES = [0.9, 0.75, 0.65, 0.55, 0.45, 0.3];

/** With its audit. Of the last share if none holds. */
export async function findHighest(bench: Bench, search: RateSearch): Promise<Found> {
  const { from, ceiling, warmSeconds, stepSeconds, seconds } = search;
  if (warmSeconds > 0) await press(bench, from, warmSeconds, undefined);
  const step = (rate: number) => press(bench, rate, stepSeconds, undefined);
  let knee = from;
  let isBounded = false;
  for (let rate = from; rate <= ceiling && !isBounded; rate *= 2) {
    isBounded = faultOf(await step(rate)) !== undefined;
    if (isBounded) {
      await step(knee);
      isBounded = faultOf(await step(rate)) !== undefined;
    }
    if (!isBounded) knee = rate;
  }
  let found: Found | undefined;
  for (const share of isBounded ? SHARES : [1 / 2]) {
    // The step that did not hold is below twice the knee.
    const before = await readBalances(auditor(bench.network), bench.accounts);
    found = await press(bench, Math.round(2 * knee * share), seconds, before);
    if (faultOf(found) === undefined) break;
  }
  if (found === undefined) throw new Error('no rate was tried');
  return found;
}
