/** Rates out of counters that only grow. */
import type { SeriesPoint } from '@slipstream/schema';

type Counter = keyof SeriesPoint;

/** Per second, whatever lies between two points. A counter that fell was reset by a restart: its rate is unknown then. */
export function rates(series: readonly SeriesPoint[], counter: Counter): readonly (number | null)[] {
  return ratios(series, counter, 'atMs').map((each) => (each === null ? null : each * 1_000));
}

/** How much one counter grew for each step of another; null where either did not, or is not known. */
export function ratios(series: readonly SeriesPoint[], counter: Counter, per: Counter): readonly (number | null)[] {
  return series.map((point, i) => {
    const before = series[i - 1];
    const grown = growth(before?.[counter], point[counter]);
    const steps = growth(before?.[per], point[per]);
    return grown === null || steps === null || steps === 0 ? null : grown / steps;
  });
}

/** Over all of the series that is not older than so long; null while too little is known. */
export function ratioOver(
  series: readonly SeriesPoint[],
  counter: Counter,
  per: Counter,
  windowMs: number,
): number | null {
  const last = series.at(-1);
  if (last === undefined) return null;
  const first = series.find(({ atMs }) => atMs >= last.atMs - windowMs);
  const grown = growth(first?.[counter], last[counter]);
  const steps = growth(first?.[per], last[per]);
  return grown === null || steps === null || steps === 0 ? null : grown / steps;
}

function growth(from: number | null | undefined, to: number | null | undefined): number | null {
  return from === null || from === undefined || to === null || to === undefined || to < from ? null : to - from;
}
