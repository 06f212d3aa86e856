import type { ViewRow } from '../../stream/snapshot.ts';

/** The node's current view. Stats report it once per second; a notarized view has been entered; a proposal may come before its view. */
export function newestView(reported: number | undefined, rows: readonly ViewRow[]): number | undefined {
  const entered = rows.findLast(({ times }) => times.notarizedMs !== undefined || times.finalizedMs !== undefined);
  if (reported === undefined || entered === undefined) return reported ?? entered?.view;
  return Math.max(reported, entered.view);
}
