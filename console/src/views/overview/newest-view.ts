import type { ViewRow } from '../../stream/snapshot.ts';

/**
 * The view that the node is in, as far as is known: numbers come once a second, blocks at once, and a view whose block is notarized has been
 * entered. A proposal alone says nothing: it may come ahead of its view.
 */
export function newestView(reported: number | undefined, rows: readonly ViewRow[]): number | undefined {
  const entered = rows.findLast(({ times }) => times.notarizedMs !== undefined || times.finalizedMs !== undefined);
  if (reported === undefined || entered === undefined) return reported ?? entered?.view;
  return Math.max(reported, entered.view);
}
