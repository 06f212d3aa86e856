/** Stages of a block, for timeline and Gantt chart. */
import type { StageTimes } from '@slipstream/schema';

const MILESTONES = ['notarized', 'final', 'certified', 'committed'] as const;
type Milestone = (typeof MILESTONES)[number];

interface Segment {
  readonly milestone: Milestone;
  /** From the previous milestone, or the proposal. */
  readonly ms: number;
}

const TIME_OF: Readonly<Record<Milestone, keyof StageTimes>> = {
  notarized: 'notarizedMs',
  final: 'finalizedMs',
  certified: 'certifiedMs',
  committed: 'committedMs',
};

/** In order. Empty until the proposal is known. */
export function segmentsOf(times: StageTimes): readonly Segment[] {
  let before = times.proposedMs;
  if (before === undefined) return [];
  const reached = MILESTONES.map((milestone) => ({ milestone, atMs: times[TIME_OF[milestone]] }))
    .filter((mark): mark is { milestone: Milestone; atMs: number } => mark.atMs !== undefined)
    .sort((a, b) => a.atMs - b.atMs);
  return reached.map(({ milestone, atMs }) => {
    const ms = Math.max(0, atMs - (before ?? atMs));
    before = Math.max(before ?? atMs, atMs);
    return { milestone, ms };
  });
}

export function totalMs(segments: readonly Segment[]): number {
  return segments.reduce((sum, { ms }) => sum + ms, 0);
}

interface StageBar {
  readonly name: string;
  readonly means: string;
  /** As in the timeline, for stages that end in a milestone. */
  readonly fill: Milestone | 'execution';
  /** After the proposal. */
  readonly fromMs: number;
  readonly toMs: number;
}

interface StageSpan extends Pick<StageBar, 'name' | 'means' | 'fill'> {
  /** `origin`: when the block was proposed. */
  readonly from: (times: StageTimes, origin: number) => number | undefined;
  readonly to: keyof StageTimes;
}

const SPANS: readonly StageSpan[] = [
  {
    name: 'Notarize',
    fill: 'notarized',
    means: 'a quorum votes for the proposal',
    from: (_, origin) => origin,
    to: 'notarizedMs',
  },
  {
    name: 'Finalize',
    fill: 'final',
    means: 'a quorum saw the notarization: the block cannot be undone',
    from: ({ notarizedMs }, origin) => notarizedMs ?? origin,
    to: 'finalizedMs',
  },
  {
    name: 'Prepare',
    fill: 'execution',
    means: 'its transactions are gathered and checked',
    from: (_, origin) => origin,
    to: 'preparedMs',
  },
  {
    name: 'Execute',
    fill: 'execution',
    means: 'transactions are run on the state of the parent',
    from: ({ preparedMs }, origin) => preparedMs ?? origin,
    to: 'executedMs',
  },
  {
    name: 'Digest',
    fill: 'execution',
    means: 'receipts and state changes are hashed',
    from: ({ executedMs }) => executedMs,
    to: 'digestedMs',
  },
  {
    name: 'Optimistic commit',
    fill: 'execution',
    means: 'the state is written before the certificate arrives',
    from: ({ digestedMs }) => digestedMs,
    to: 'optCommittedMs',
  },
  {
    name: 'Certify',
    fill: 'certified',
    means: 'a quorum executed it with the same result',
    from: ({ digestedMs, executedMs }) => digestedMs ?? executedMs,
    to: 'certifiedMs',
  },
  {
    name: 'Commit',
    fill: 'committed',
    means: 'it becomes durable and visible',
    from: ({ finalizedMs, certifiedMs }) => latest(finalizedMs, certifiedMs),
    to: 'committedMs',
  },
  {
    name: 'Notify',
    fill: 'committed',
    means: 'waiting clients are notified',
    from: ({ committedMs }) => committedMs,
    to: 'notifiedMs',
  },
];

/** Stages with a known end. */
export function stageBars(times: StageTimes): readonly StageBar[] {
  const { proposedMs: origin } = times;
  if (origin === undefined) return [];
  return SPANS.flatMap(({ name, means, fill, ...span }) => {
    const from = span.from(times, origin);
    const to = times[span.to];
    if (from === undefined || to === undefined) return [];
    return [{ name, means, fill, fromMs: Math.max(0, Math.min(from, to) - origin), toMs: Math.max(0, to - origin) }];
  });
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}

/** The next of 1, 2, 5, 10, ...: a scale that rarely changes. */
export function roundScale(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(ms, 1)));
  return ([1, 2, 5].find((step) => step * power >= ms) ?? 10) * power;
}

/** For each stage the median of its end, relative to the proposal. */
export function medianTimes(all: readonly StageTimes[]): StageTimes {
  const whole = all.filter(({ proposedMs, committedMs }) => proposedMs !== undefined && committedMs !== undefined);
  const names = [...new Set(whole.flatMap((times) => Object.keys(times) as (keyof StageTimes)[]))];
  return Object.fromEntries(
    names.map((name) => {
      const offsets = whole
        .flatMap((times) => (times[name] === undefined ? [] : [times[name] - (times.proposedMs ?? 0)]))
        .sort((a, b) => a - b);
      return [name, offsets[Math.floor((offsets.length - 1) / 2)] ?? 0];
    }),
  );
}
