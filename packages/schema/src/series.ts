/**
 * The charts of a node: a point for each stats message, and one per minute. Quantiles cover the last minute and counters only grow, so the
 * last point represents a minute; only rates are averaged.
 */
import { Type } from 'typebox';
import { type Json, orNull, TimeMs } from './scalars.ts';
import type { Stats } from './stats.ts';

const RATES = ['transactionsPerSecond', 'rowsPerSecond', 'blocksPerSecond'] as const;

/** In the units of Stats; null: unknown. */
export const SERIES_FIELDS = [
  ...RATES,
  'blockTimeP50',
  'blockTimeP95',
  'finalityP50',
  'finalityP95',
  // Since start:
  'quorumChecks',
  'votesChecked',
  'view',
  'arrived',
  'executed',
  'syncs',
  // Now:
  'waiting',
  'certificationP50',
  'certificationP99',
  'syncP50',
  'syncP99',
] as const;
export type SeriesField = (typeof SERIES_FIELDS)[number];

export type SeriesPoint = { readonly atMs: number } & { readonly [Field in SeriesField]: number | null };

/** Ten minutes of seconds, a day of minutes. */
export const SECONDS_MAX = 600;
export const MINUTES_MAX = 1_440;

const MINUTE_MS = 60_000;

const column = Type.Array(orNull(Type.Number()), { maxItems: MINUTES_MAX });
const COLUMNS = Object.fromEntries(SERIES_FIELDS.map((field) => [field, column])) as {
  readonly [Field in SeriesField]: typeof column;
};

/** By column: names in each point would be most of the bytes. */
export const SeriesSchema = Type.Object(
  {
    atMs: Type.Array(TimeMs, { description: 'Ascending.', maxItems: MINUTES_MAX }),
    columns: Type.Object(COLUMNS, { description: 'As many values each as there are times.' }),
  },
  { title: 'Series' },
);
type Series = Json<typeof SeriesSchema>;

export function seriesPoint(stats: Stats, atMs: number): SeriesPoint {
  const { dissemination, storage, signatures } = stats;
  const { flow } = dissemination;
  return {
    atMs,
    transactionsPerSecond: stats.transactionsPerSecond,
    rowsPerSecond: stats.rowsPerSecond,
    blocksPerSecond: stats.blocksPerSecond,
    blockTimeP50: stats.blockTimeMs?.p50 ?? null,
    blockTimeP95: stats.blockTimeMs?.p95 ?? null,
    finalityP50: stats.finalityMs?.p50 ?? null,
    finalityP95: stats.finalityMs?.p95 ?? null,
    quorumChecks: signatures.quorumChecks,
    votesChecked: signatures.votesChecked,
    view: stats.view,
    arrived: flow.fromClients + flow.fromPeers,
    executed: flow.executed,
    syncs: storage.syncs,
    waiting: flow.checking + flow.waiting,
    certificationP50: dissemination.certificationMs?.p50 ?? null,
    certificationP99: dissemination.certificationMs?.p99 ?? null,
    syncP50: storage.syncMsP50 ?? null,
    syncP99: storage.syncMsP99 ?? null,
  };
}

/** In time order, the newest `max`. After a clock was set back, points of `before` from the repeated times on are dropped. */
export function followedBy(
  before: readonly SeriesPoint[],
  more: readonly SeriesPoint[],
  max: number,
): readonly SeriesPoint[] {
  const firstMs = more[0]?.atMs ?? Number.POSITIVE_INFINITY;
  const kept = (before.at(-1)?.atMs ?? 0) < firstMs ? before : before.filter(({ atMs }) => atMs < firstMs);
  return [...kept, ...more].slice(-max);
}

/** Returns a minute's point with the first point of a later minute. */
export function createMinuteFold(): (point: SeriesPoint) => SeriesPoint | undefined {
  let minute: SeriesPoint[] = [];
  return (point) => {
    const first = minute[0];
    const isOver = first !== undefined && minuteOf(first) !== minuteOf(point);
    const folded = isOver ? fold(minute) : undefined;
    minute = isOver ? [point] : [...minute, point].slice(-SECONDS_MAX);
    return folded;
  };
}

function minuteOf({ atMs }: SeriesPoint): number {
  return Math.floor(atMs / MINUTE_MS);
}

function fold(points: readonly SeriesPoint[]): SeriesPoint {
  const last = points.at(-1) as SeriesPoint;
  const mean = (field: SeriesField) => points.reduce((sum, point) => sum + (point[field] ?? 0), 0) / points.length;
  const means = Object.fromEntries(RATES.map((field) => [field, mean(field)]));
  return { ...last, ...means };
}

export function toSeries(points: readonly SeriesPoint[]): Series {
  const columns = {} as Record<SeriesField, readonly (number | null)[]>;
  for (const field of SERIES_FIELDS) columns[field] = points.map((point) => rounded(point[field]));
  return { atMs: points.map(({ atMs }) => atMs), columns };
}

/** Thousandths are the charts' resolution. */
function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1_000) / 1_000;
}

export function fromSeries({ atMs, columns }: Series): readonly SeriesPoint[] {
  return atMs.map((time, i) => {
    const value = (field: SeriesField) => columns[field][i] ?? null;
    return { atMs: time, ...Object.fromEntries(SERIES_FIELDS.map((field) => [field, value(field)])) } as SeriesPoint;
  });
}
