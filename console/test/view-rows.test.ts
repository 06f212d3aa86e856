/** Nullified views without an event: the blocks before and after show them. */
import { expect, test } from 'vitest';
import { VIEWS_MAX } from '../src/stream/limits.ts';
import { createViewRows } from '../src/stream/view-rows.ts';
import { groupNullified } from '../src/views/timeline/nullified-views.ts';
import { AT_MS, block, eventMessage, newestFirst } from './live-messages.ts';

const UNKNOWN_CAUSE = { leader: null, nullified: { reason: null, atMs: null } };

test('views between two blocks of the first state were nullified, with an unknown leader', () => {
  const rows = createViewRows();
  rows.blocks(newestFirst([1, 10], [2, 13], [3, 14]));
  const taken = rows.take().toSorted((a, b) => a.view - b.view);
  expect(taken.map(({ view }) => view)).toEqual([10, 11, 12, 13, 14]);
  expect(taken[1]).toMatchObject(UNKNOWN_CAUSE);
  expect(taken[3]?.nullified).toBeNull();
  expect(groupNullified(taken)).toEqual([{ leader: null, reason: null, times: 2, lastView: 12 }]);
});

test('views between the last block of the state and the first later one are nullified once that is final', () => {
  const rows = createViewRows();
  rows.blocks(newestFirst([1, 10]));
  rows.event(eventMessage(2, 'block.notarized', { ...block(12, 2), signers: 3 }).event, AT_MS);
  rows.take();
  rows.event(eventMessage(3, 'block.final', { ...block(12, 2), proposer: 0, timestampMs: AT_MS }).event, AT_MS);
  expect(rows.take().find(({ view }) => view === 11)).toMatchObject(UNKNOWN_CAUSE);
});

test('a reported nullification keeps its leader and reason', () => {
  const rows = createViewRows();
  const given = { view: 11, leader: 3, reason: 'timeout' };
  rows.event(eventMessage(2, 'view.nullified', given).event, AT_MS);
  rows.blocks(newestFirst([1, 10], [2, 12]));
  expect(rows.take().find(({ view }) => view === 11)).toMatchObject({ leader: 3, nullified: { reason: 'timeout' } });
  rows.clear();
  rows.blocks(newestFirst([1, 10], [2, 12]));
  rows.event(eventMessage(3, 'view.nullified', given).event, AT_MS);
  expect(rows.take().find(({ view }) => view === 11)).toMatchObject({ leader: 3, nullified: { reason: 'timeout' } });
});

test('a gap of a million views between blocks adds at most VIEWS_MAX rows', () => {
  const rows = createViewRows();
  rows.blocks(newestFirst([1, 10], [2, 1_000_000]));
  expect(rows.take()).toHaveLength(VIEWS_MAX);
});
