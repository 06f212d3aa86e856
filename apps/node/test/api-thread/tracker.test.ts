import { describe, expect, it } from 'vitest';
import { eachWanted, packIds, prefixOf } from '../../src/api-thread/ids.ts';
import { createTracker } from '../../src/backend/tracker.ts';

const idOf = (number: number) => number.toString(16).padStart(8, '0').padEnd(64, 'ab');

describe('prefixes of transactions', () => {
  it('are needed while a transaction is open or awaited, and no longer', async () => {
    const tracker = createTracker(() => {});
    const [mine, theirs] = [idOf(0xfffffff0), idOf(7)];
    const reported: string[] = [];
    const commit = (ids: readonly string[]) =>
      eachWanted(packIds(ids), tracker.mayKnow, (id, place) => {
        reported.push(`${id} at ${place}`);
        tracker.moved(id, 'final', { height: 1 });
      });
    commit([theirs, mine]);
    expect(reported).toEqual([]);

    tracker.submitted(mine, 1_000);
    const waited = tracker.wait(theirs, ['final'], new AbortController().signal);
    expect([tracker.mayKnow(prefixOf(mine)), tracker.mayKnow(prefixOf(theirs))]).toEqual([true, true]);
    commit([idOf(9), theirs, mine]);
    expect(reported).toEqual([`${theirs} at 1`, `${mine} at 2`]);
    await waited;
    expect(tracker.get(mine)).toMatchObject({ status: 'final', height: 1 });
    expect([tracker.mayKnow(prefixOf(mine)), tracker.mayKnow(prefixOf(theirs))]).toEqual([false, false]);
  });

  it('are counted: one of two transactions that share one may end', () => {
    const tracker = createTracker(() => {});
    const [first, second] = [idOf(5), `${idOf(5).slice(0, 63)}c`];
    tracker.submitted(first, 1_000);
    tracker.submitted(second, 1_000);
    tracker.moved(first, 'attested');
    tracker.moved(first, 'final', { height: 1 });
    expect(tracker.mayKnow(prefixOf(second))).toBe(true);
    tracker.moved(second, 'expired');
    expect(tracker.mayKnow(prefixOf(second))).toBe(false);
  });

  it('are released when the last waiting caller aborts', () => {
    const tracker = createTracker(() => {});
    const ends = [new AbortController(), new AbortController()] as const;
    for (const { signal } of ends) void tracker.wait(idOf(3), ['final'], signal);
    ends[0].abort();
    expect(tracker.mayKnow(3)).toBe(true);
    ends[1].abort();
    expect(tracker.mayKnow(3)).toBe(false);
  });
});
