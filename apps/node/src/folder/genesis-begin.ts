/**
 * When a chain begins: no block has a timestamp below that of its genesis, and nobody votes for a block from the future. So a genesis that
 * was made by a clock ahead of the others' is a chain that stands still until they have caught up with it.
 */
import { FUTURE_TIMESTAMP_MS } from '@slipstream/consensus/options';
import type { Genesis } from '@slipstream/types';

/** Undefined when it may begin now; else when it does. */
export function beginsLater({ timestampMs }: Pick<Genesis, 'timestampMs'>, nowMs: number): string | undefined {
  const laterMs = timestampMs - nowMs;
  if (laterMs <= FUTURE_TIMESTAMP_MS) return undefined;
  const seconds = Math.ceil(laterMs / 1000);
  const date = new Date(timestampMs);
  const when = Number.isNaN(date.getTime()) ? `${timestampMs} ms after 1970` : date.toISOString();
  return `the chain begins at ${when}, ${seconds} s from now by the clock of this machine: there is no block before`;
}

export const BEGINS_LATER_REMEDY =
  'Look at this clock, and at that of the machine where the genesis was made. Where both are right it begins by itself; else make it anew.';
