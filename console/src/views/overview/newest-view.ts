import type { ViewRow } from '../../stream/snapshot.ts';

/** From the stats, once per second; a notarized view has been entered. A proposal may come before its view. */
export function newestView(reported: number | undefined, rows: readonly ViewRow[]): number | undefined {
  const entered = rows.findLast(({ times }) => times.notarizedMs !== undefined || times.finalizedMs !== undefined);
  if (reported === undefined || entered === undefined) return reported ?? entered?.view;
  return Math.max(reported, entered.view);
}
