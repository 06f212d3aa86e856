import type { ViewRow } from '../../stream/snapshot.ts';

/**
 * The node's current view: the stats report it once per second, and a view whose block is notarized has been entered. A proposal alone
 * proves nothing, because it may come before its view.
 */
export function newestView(reported: number | undefined, rows: readonly ViewRow[]): number | undefined {
  const entered = rows.findLast(({ times }) => times.notarizedMs !== undefined || times.finalizedMs !== undefined);
  if (reported === undefined || entered === undefined) return reported ?? entered?.view;
  return Math.max(reported, entered.view);
}
