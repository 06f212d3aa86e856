/**
 * How often the committee is read. Events say when it changed. Those of a relayed node may come before the page's own node, which answers,
 * has the block.
 */

/** For events that were missed. */
const MISSED_MS = 30_000;
const RELAYED_MS = 5_000;
/** Until the own node is in the epoch that the relayed one has begun. */
const BEHIND_MS = 1_000;

/** `relayed`: the epoch by the stream of a relayed node, if one is shown; `answered`: by the last answer. */
export function readingPeriodMs(relayed: number | undefined, answered: number | undefined): number {
  if (relayed === undefined) return MISSED_MS;
  return answered !== undefined && answered < relayed ? BEHIND_MS : RELAYED_MS;
}
