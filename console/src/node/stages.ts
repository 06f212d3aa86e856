/** Stages of a block, for timeline and Gantt chart. */
import { type BlockStage, STAGE_SPANS, type StageTimes } from '@slipstream/schema';

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

const WORDS: Readonly<Record<BlockStage, Pick<StageBar, 'name' | 'means' | 'fill'>>> = {
  notarize: { name: 'Notarize', fill: 'notarized', means: 'a quorum votes for the proposal' },
  finalize: {
    name: 'Finalize',
    fill: 'final',
    means: 'a quorum saw the notarization: the block cannot be undone',
  },
  prepare: { name: 'Prepare', fill: 'execution', means: 'its transactions are gathered and checked' },
  execute: { name: 'Execute', fill: 'execution', means: 'transactions are run on the state of the parent' },
  digest: { name: 'Digest', fill: 'execution', means: 'receipts and state changes are hashed' },
  'optimistic-commit': {
    name: 'Optimistic commit',
    fill: 'execution',
    means: 'the state is written before the certificate arrives',
  },
  certify: { name: 'Certify', fill: 'certified', means: 'a quorum executed it with the same result' },
  commit: { name: 'Commit', fill: 'committed', means: 'it becomes durable and visible' },
  notify: { name: 'Notify', fill: 'committed', means: 'waiting clients are notified' },
};

/** Stages with a known end. */
export function stageBars(times: StageTimes): readonly StageBar[] {
  const { proposedMs: origin } = times;
  if (origin === undefined) return [];
  return STAGE_SPANS.flatMap((span) => {
    const from = span.from(times);
    const to = times[span.to];
    if (from === undefined || to === undefined) return [];
    return [{ ...WORDS[span.stage], fromMs: Math.max(0, Math.min(from, to) - origin), toMs: Math.max(0, to - origin) }];
  });
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
