/**
 * Sources of transactions on the left, outcomes on the right.
 *
 *   clients ==\            /== executed        the diagram shows a mismatch of both sums
 *              >= arrived =<== waiting
 *   peers   ==/            \-- refused, dropped: by reason
 */
import type { DisseminationStats } from '@slipstream/schema';
import type { Tone } from '../../design/badge.tsx';
import { count as digits } from '../../design/format.ts';
import { DROPPED, REFUSED, reasonOf } from './reasons.ts';

export interface FlowEnd {
  readonly key: string;
  readonly title: string;
  /** Meaning, and what to do when the count is high. */
  readonly means: string;
  readonly tone: Tone;
  readonly count: number;
}

export interface FlowModel {
  readonly sources: readonly FlowEnd[];
  readonly ends: readonly FlowEnd[];
  readonly arrived: number;
  readonly accounted: number;
}

export function flowModel({ flow }: DisseminationStats): FlowModel {
  const sources: readonly FlowEnd[] = [
    { key: 'clients', title: 'From clients', means: 'Submitted here.', tone: 'info', count: flow.fromClients },
    { key: 'peers', title: 'From peers', means: 'Forwarded by other nodes.', tone: 'info', count: flow.fromPeers },
  ];
  const ends: readonly FlowEnd[] = [
    { key: 'executed', title: 'Executed', means: 'In a committed block.', tone: 'good', count: flow.executed },
    {
      key: 'waiting',
      title: 'Mempool',
      means: 'In the pool, for a chunk and a block; or its signature is being checked.',
      tone: 'info',
      count: flow.waiting + flow.checking,
    },
    {
      key: 'known',
      title: 'Duplicate',
      means: 'Already in the mempool or on the chain: received twice.',
      tone: 'plain',
      count: flow.known,
    },
    ...flow.refused.map(({ reason, count }) => end(`refused ${reason}`, 'Refused', reasonOf(REFUSED, reason), count)),
    ...flow.dropped.map(({ reason, count }) => end(`dropped ${reason}`, 'Dropped', reasonOf(DROPPED, reason), count)),
  ];
  return { sources, ends, arrived: total(sources), accounted: total(ends) };
}

/** Rows of distilled batches are not in the mempool, so they are no band. */
export function flowNote({ executedRows }: DisseminationStats): string {
  const since = 'since this node started';
  return executedRows === 0 ? since : `${since}; besides, ${digits(executedRows)} rows of distilled batches executed`;
}

function end(key: string, what: string, [title, means]: readonly [string, string], count: number): FlowEnd {
  return { key, title: `${what}: ${title}`, means, tone: 'warn', count };
}

function total(ends: readonly FlowEnd[]): number {
  return ends.reduce((sum, { count }) => sum + count, 0);
}

export interface Band {
  readonly key: string;
  readonly tone: Tone;
  readonly thicknessPx: number;
  /** Height of its row, for band and name. */
  readonly rowPx: number;
  /** Middle of the band, at the trunk and at its own end. */
  readonly trunkPx: number;
  readonly endPx: number;
}

export interface BandLayout {
  readonly bands: readonly Band[];
  readonly heightPx: number;
  readonly trunkFromPx: number;
  readonly trunkToPx: number;
}

/** Keeps a small band visible. */
const THICKNESS_MIN_PX = 1.5;
const ROW_MIN_PX = 42;
const GAP_PX = 6;

/** Rows from top to bottom, at least `heightMinPx` high; the trunk is beside their middle, as thick as all bands together. */
export function layoutBands(ends: readonly FlowEnd[], trunkPx: number, heightMinPx = 0): BandLayout {
  const sum = Math.max(1, total(ends));
  const thick = ends.map(({ count }) => (count === 0 ? 0 : Math.max(THICKNESS_MIN_PX, (count / sum) * trunkPx)));
  const rows = thick.map((thicknessPx) => Math.max(ROW_MIN_PX, thicknessPx + GAP_PX));
  const needPx = rows.reduce((all, each) => all + each, 0);
  const whole = thick.reduce((all, each) => all + each, 0);
  const heightPx = Math.max(heightMinPx, needPx, whole);
  const trunkFromPx = (heightPx - whole) / 2;
  let trunkAt = trunkFromPx;
  let rowAt = (heightPx - needPx) / 2;
  const bands = ends.map(({ key, tone }, i) => {
    const [thicknessPx = 0, rowPx = 0] = [thick[i], rows[i]];
    trunkAt += thicknessPx;
    rowAt += rowPx;
    return { key, tone, thicknessPx, rowPx, trunkPx: trunkAt - thicknessPx / 2, endPx: rowAt - rowPx / 2 };
  });
  return { bands, heightPx, trunkFromPx, trunkToPx: trunkFromPx + whole };
}
