import { expect, it } from 'vitest';
import type { ViewRow } from '../src/stream/snapshot.ts';
import { newestView } from '../src/views/overview/newest-view.ts';

const row = (view: number, times: ViewRow['times']): ViewRow => ({
  view,
  times,
  leader: 0,
  height: view,
  blockId: null,
  kind: null,
  transactions: null,
  rows: null,
  notarizeSigners: null,
  certifySigners: null,
  shadowedMs: null,
  nullified: null,
});

const ROWS = [row(7, { notarizedMs: 1, finalizedMs: 2 }), row(8, { notarizedMs: 3 }), row(9, { proposedMs: 3 })];

it.each([
  ['of the stats when they are newer', 12, ROWS, 12],
  ['of the latest notarized block when they are older', 6, ROWS, 8],
  ['of the latest notarized block before any stats arrive', undefined, ROWS, 8],
  ['of the stats before any block arrives', 6, [], 6],
  ['unknown without stats and notarized blocks', undefined, [row(9, { proposedMs: 3 })], undefined],
])('the view is that %s', (_, statsView, rows, expected) => {
  expect(newestView(statsView, rows)).toBe(expected);
});
