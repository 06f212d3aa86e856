/**
 * When a chain begins: no block has a timestamp below that of its genesis, and validators do not vote for a block from the future. So
 * a genesis made with a fast clock stalls the chain until the other clocks have reached its timestamp.
 */
import { FUTURE_TIMESTAMP_MS } from '@slipstream/consensus/options';
import type { Genesis } from '@slipstream/types';

/** Undefined when it may begin now; else a text that says when. */
export function beginsLater({ timestampMs }: Pick<Genesis, 'timestampMs'>, nowMs: number): string | undefined {
  const laterMs = timestampMs - nowMs;
  if (laterMs <= FUTURE_TIMESTAMP_MS) return undefined;
  const seconds = Math.ceil(laterMs / 1000);
  const date = new Date(timestampMs);
  const when = Number.isNaN(date.getTime()) ? `${timestampMs} ms after 1970` : date.toISOString();
  return `the chain begins at ${when}, ${seconds} s from now by the clock of this machine: there is no block before`;
}

export const BEGINS_LATER_REMEDY =
  'Check this clock, and that of the machine where the genesis was made. Where both are right the chain begins by itself; else create the genesis again.';
