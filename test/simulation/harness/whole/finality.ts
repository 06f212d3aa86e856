/**
 * Finality at the ends of epochs against elsewhere, in virtual time: from the first sending of a client's transaction to the first receipt.
 *
 *   --elsewhere--> | BEFORE_MS | boundary | AFTER_MS | --elsewhere-->      by when it was sent
 */
import { assert } from '@slipstream/primitives';
import type { Sent, WholeRecord } from './record.ts';

/** What is sent then may be on its way at the boundary, or in the first blocks after it. */
const BEFORE_MS = 800;
const AFTER_MS = 300;
/** The nodes connect meanwhile. */
const START_MS = 2_000;
/** Chunks that die at boundaries have a tenth of what is sent around them. */
const SHARE = 0.95;
/** From a proposal to its finality with the slowest links that whole nodes are played with; a view of faster ones is no longer. */
const VIEW_MS = 120;
const SAMPLES_MIN = 50;

type Finality = Pick<WholeRecord, 'all' | 'finalMs' | 'endedMs'>;

/** Throws when more than one view is lost to a boundary. */
export function checkFinality({ all, finalMs, endedMs }: Finality): void {
  const ends = [...endedMs.values()];
  const isAt = ({ sentMs }: Sent) => ends.some((end) => sentMs >= end - BEFORE_MS && sentMs <= end + AFTER_MS);
  // Of governance some fill a chunk alone.
  const usual = [...all.values()].filter(({ transfer, sentMs }) => transfer !== undefined && sentMs >= START_MS);
  const tookMs = (which: readonly Sent[]) =>
    which.flatMap(({ id, sentMs }) => (finalMs.has(id) ? [(finalMs.get(id) ?? 0) - sentMs] : []));
  const at = tookMs(usual.filter(isAt));
  const elsewhere = tookMs(usual.filter((sent) => !isAt(sent)));
  assert(
    Math.min(at.length, elsewhere.length) >= SAMPLES_MIN,
    `${at.length} and ${elsewhere.length} are samples enough`,
  );
  const [atMs, elsewhereMs] = [quantile(at), quantile(elsewhere)];
  assert(
    atMs <= elsewhereMs + VIEW_MS,
    `finality: nineteen in twenty within ${atMs.toFixed(0)} ms at boundaries, ${elsewhereMs.toFixed(0)} ms elsewhere: more than a view`,
  );
}

function quantile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(SHARE * values.length)] as number;
}
