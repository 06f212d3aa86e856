import type { SeriesPoint } from '@slipstream/schema';

type Counter = keyof SeriesPoint;

/** Null after a restart, which resets the counter. */
export function rates(series: readonly SeriesPoint[], counter: Counter): readonly (number | null)[] {
  return ratios(series, counter, 'atMs').map((each) => (each === null ? null : each * 1_000));
}

/** Growth of a counter per step of another; null where the other did not grow, or either is unknown or was reset. */
export function ratios(series: readonly SeriesPoint[], counter: Counter, per: Counter): readonly (number | null)[] {
  return series.map((point, i) => {
    const before = series[i - 1];
    const grown = growth(before?.[counter], point[counter]);
    const steps = growth(before?.[per], point[per]);
    return grown === null || steps === null || steps === 0 ? null : grown / steps;
  });
}

/** Null while too little is known. */
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
