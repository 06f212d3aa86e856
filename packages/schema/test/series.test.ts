import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createCheck,
  createMinuteFold,
  fromSeries,
  MINUTES_MAX,
  SERIES_FIELDS,
  type SeriesField,
  type SeriesPoint,
  SeriesSchema,
  toSeries,
} from '../src/index.ts';

const MINUTE_MS = 60_000;

function pointOf(atMs: number, fields: Partial<Record<SeriesField, number | null>> = {}): SeriesPoint {
  const empty = Object.fromEntries(SERIES_FIELDS.map((field) => [field, null]));
  return { atMs, ...empty, ...fields } as SeriesPoint;
}

test('a minute has its last point and the rates of all its points, and ends with the next point', () => {
  const fold = createMinuteFold();
  const seconds = [0, 1, 2].map((i) =>
    pointOf(MINUTE_MS + i * 20_000, { transactionsPerSecond: 10 * i, quorumChecks: 7 * i, finalityP95: 40 + i }),
  );
  expect(seconds.map(fold)).toEqual([undefined, undefined, undefined]);
  expect(fold(pointOf(2 * MINUTE_MS))).toMatchObject({
    atMs: MINUTE_MS + 40_000,
    transactionsPerSecond: 10,
    quorumChecks: 14,
    finalityP95: 42,
  });
});

test('a clock that is set back begins another minute and loses no point', () => {
  const fold = createMinuteFold();
  fold(pointOf(10 * MINUTE_MS));
  expect(fold(pointOf(3 * MINUTE_MS))).toMatchObject({ atMs: 10 * MINUTE_MS });
  expect(fold(pointOf(4 * MINUTE_MS))).toMatchObject({ atMs: 3 * MINUTE_MS });
});

test('columns decode to the points, to thousandths, and match their schema', () => {
  const value = fc.oneof(fc.constant(null), fc.double({ min: 0, max: 1e9, noNaN: true }));
  const point = fc
    .tuple(fc.nat(1e9), fc.array(value, { minLength: SERIES_FIELDS.length, maxLength: SERIES_FIELDS.length }))
    .map(([atMs, values]) => pointOf(atMs, Object.fromEntries(SERIES_FIELDS.map((field, i) => [field, values[i]]))));
  fc.assert(
    fc.property(fc.array(point, { maxLength: 20 }), (points) => {
      const series = toSeries(points);
      expect(createCheck(SeriesSchema)(JSON.parse(JSON.stringify(series)))).toMatchObject({ ok: true });
      const back = fromSeries(series);
      expect(back).toHaveLength(points.length);
      back.forEach((each, i) => {
        for (const field of SERIES_FIELDS) {
          const before = points[i]?.[field] ?? null;
          if (before === null) expect(each[field]).toBeNull();
          else expect(Math.abs((each[field] as number) - before)).toBeLessThanOrEqual(0.000_6 + before * 1e-12);
        }
      });
    }),
  );
});

test('a missing column is refused, and so is a too long one', () => {
  const { columns } = toSeries([pointOf(5)]);
  const refused = (value: unknown) => expect(createCheck(SeriesSchema)(value)).toMatchObject({ ok: false });
  const { view: _, ...others } = columns;
  refused({ atMs: [5], columns: others });
  refused({ atMs: Array.from({ length: MINUTES_MAX + 1 }, (_, i) => i), columns });
});
