/** The highest rate of rows that holds: steps of twice the rate, until one does not hold twice, then upwards from half of the last that did, held longer. */
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

/** Of the knee: upwards, since senders of rows that a node refused sign alone for ten minutes. Without a higher step the knee is the last. */
const SHARES = [0.5, 0.75, 1, 1.25, 1.5, 1.75];

/** With its audit. Of the lowest share if none holds. */
export async function findHighest(bench: Bench, search: RateSearch): Promise<Found> {
  const { knee, isBounded } = await findKnee(bench, search);
  let found: Found | undefined;
  for (const share of SHARES.filter((each) => isBounded || each <= 1)) {
    const before = await readBalances(auditor(bench.network), bench.accounts);
    const next = await press(bench, Math.round(knee * share), search.seconds, before);
    const holds = faultOf(next) === undefined;
    if (holds || found === undefined) found = next;
    if (!holds) break;
  }
  if (found === undefined) throw new Error('no rate was tried');
  return found;
}

/** The highest rate that held for a step; is the next one too high? */
async function findKnee(bench: Bench, { from, ceiling, warmSeconds, stepSeconds }: RateSearch) {
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
  return { knee, isBounded };
}
