/** Everything that came in is on the right, and no band is lost or overlaps another. */
import { type DisseminationStats, seriesPoint } from '@slipstream/schema';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rates, ratioOver, ratios } from '../src/stream/rates.ts';
import { type FlowEnd, flowModel, flowNote, layoutBands } from '../src/views/dissemination/flow.ts';
import { producerRows } from '../src/views/dissemination/producers.ts';
import { AT_MS, statsOf } from './live-messages.ts';

function statsWith(flow: Partial<DisseminationStats['flow']>): DisseminationStats {
  return {
    flow: {
      fromClients: 0,
      fromPeers: 0,
      known: 0,
      executed: 0,
      checking: 0,
      waiting: 0,
      refused: [],
      dropped: [],
      ...flow,
    },
    chunks: { stored: 0, committed: 0, expired: 0, pending: 0, pendingBytes: 0, wanted: 0 },
    producer: null,
    executedRows: 0,
    certifiedChunks: 0,
    certificationMs: null,
  };
}

test('every counter of the node is an end of the flow, each reason apart, and the sums are compared', () => {
  const model = flowModel(
    statsWith({
      fromClients: 60,
      fromPeers: 40,
      known: 5,
      executed: 80,
      checking: 2,
      waiting: 3,
      refused: [{ reason: 'pool-full', count: 6 }],
      dropped: [{ reason: 'expired', count: 3 }],
    }),
  );
  expect(model.arrived).toBe(100);
  expect(model.accounted).toBe(99);
  expect(model.ends.map(({ title, count }) => `${title} ${count}`)).toEqual([
    'Executed 80',
    'Mempool 5',
    'Duplicate 5',
    'Refused: mempool full 6',
    'Dropped: expired here 3',
  ]);
});

test('rows of distilled batches are executed beside the flow, in which they are no band', () => {
  const stats = { ...statsWith({ fromClients: 3, executed: 3 }), executedRows: 12_345 };
  expect(flowNote(stats)).toBe('since this node started; besides, 12,345 rows of distilled batches executed');
  expect(flowModel(stats)).toMatchObject({ arrived: 3, accounted: 3 });
  expect(flowNote(statsWith({}))).toBe('since this node started');
});

test('an unknown reason is shown under the name that the node gives it', () => {
  const { ends } = flowModel(statsWith({ refused: [{ reason: 'from-the-future', count: 1 }] }));
  expect(ends.at(-1)?.title).toBe('Refused: from-the-future');
});

test('bands lie side by side at the trunk and at their ends, inside the drawing, and each with a count is visible', () => {
  const counts = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(counts, (all) => {
      const ends = all.map((count, i): FlowEnd => ({ key: `${i}`, title: '', means: '', tone: 'good', count }));
      const { bands, heightPx, trunkFromPx, trunkToPx } = layoutBands(ends, 132);
      let [trunkAt, endAt] = [trunkFromPx, 0];
      for (const [i, { thicknessPx, trunkPx, endPx }] of bands.entries()) {
        expect(thicknessPx > 0).toBe((all[i] ?? 0) > 0);
        expect(trunkPx - thicknessPx / 2).toBeGreaterThanOrEqual(trunkAt - 1e-6);
        expect(endPx - thicknessPx / 2).toBeGreaterThanOrEqual(endAt - 1e-6);
        trunkAt = trunkPx + thicknessPx / 2;
        endAt = endPx + thicknessPx / 2;
      }
      expect(trunkAt).toBeCloseTo(trunkToPx, 6);
      expect(Math.max(trunkAt, endAt)).toBeLessThanOrEqual(heightPx + 1e-6);
    }),
  );
});

test('rates and ratios come from counters that grow; a counter that fell was reset', () => {
  const point = (second: number, syncs: number, view: number) =>
    seriesPoint(statsOf({ view, storage: { ...statsOf().storage, syncs } }), AT_MS + second * 1_000);
  const series = [point(0, 10, 100), point(1, 14, 102), point(3, 18, 110), point(4, 1, 112)];
  expect(rates(series, 'syncs')).toEqual([null, 4, 2, null]);
  expect(ratios(series, 'syncs', 'view')).toEqual([null, 2, 0.5, null]);
  expect(ratioOver(series.slice(0, 3), 'syncs', 'view', 60_000)).toBe(0.8);
  expect(ratioOver(series.slice(0, 3), 'syncs', 'view', 2_000)).toBe(0.5);
  expect(ratioOver([], 'syncs', 'view', 60_000)).toBeNull();
});

test('producers are listed in the order of the committee, with the median and the maximum of their chunks', () => {
  const chunk = (producer: number, sinceCreatedMs: number, rows = 0) =>
    ({ atMs: AT_MS, chunkId: '0x', producer, transactions: 10, rows, sinceCreatedMs }) as const;
  expect(producerRows([chunk(2, 9), chunk(0, 5), chunk(2, 1, 700), chunk(2, 4, 40)])).toEqual([
    { producer: 0, chunks: 1, transactions: 10, rows: 0, medianMs: 5, slowestMs: 5 },
    { producer: 2, chunks: 3, transactions: 30, rows: 740, medianMs: 4, slowestMs: 9 },
  ]);
});
