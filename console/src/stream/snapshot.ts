/**
 * What the page knows about the node: one immutable value, replaced in part by each batch.
 *
 *   worker: message --> validate --> collect --\
 *                                               batch (at most 30 a second) --> page: applyBatch --> Snapshot --> views
 */
import {
  type Alert,
  type CommitteeView,
  followedBy,
  MINUTES_MAX,
  type Peer,
  SECONDS_MAX,
  type SeriesPoint,
  type StageTimes,
  type Stats,
  type Status,
} from '@slipstream/schema';
import { ACTIVITY_MAX, BISECTIONS_MAX, CHECKS_MAX, CHUNKS_MAX, EVIDENCE_MAX, VIEWS_MAX } from './limits.ts';

export type Connection =
  | { readonly type: 'connecting'; readonly attempt: number; readonly lostAtMs: number | null }
  | { readonly type: 'live' }
  /** Messages come, and come late: what is shown was so that long ago, in whole seconds. */
  | { readonly type: 'behind'; readonly byMs: number }
  /** The connection stands, and nothing came for a while. */
  | { readonly type: 'stale'; readonly sinceMs: number }
  | { readonly type: 'lost'; readonly reason: string; readonly lostAtMs: number; readonly retryInMs: number };

/** A view of consensus as this node saw it; what has not happened (yet) is null or missing. */
export interface ViewRow {
  readonly view: number;
  readonly leader: number | null;
  readonly height: number | null;
  readonly blockId: string | null;
  readonly kind: 'optimistic' | 'normal' | null;
  /** When stages ended, in ms since 1970: the node's own times once the block is committed, before that of the events. */
  readonly times: StageTimes;
  readonly transactions: number | null;
  readonly notarizeSigners: number | null;
  readonly certifySigners: number | null;
  readonly shadowedMs: number | null;
  readonly nullified: NullifiedView | null;
}

/** Null: this page did not hear of it, and knows it from the blocks before and after. */
export interface NullifiedView {
  readonly reason: string | null;
  readonly atMs: number | null;
}

export interface QuorumCheck {
  readonly atMs: number;
  readonly kind: string;
  readonly view: number;
  readonly votes: number;
  readonly ms: number;
}

export interface Bisection extends QuorumCheck {
  readonly offenders: readonly number[];
  readonly checks: number;
}

export interface EvidenceNote {
  readonly atMs: number;
  readonly type: 'votes' | 'proposals' | 'chunks';
  readonly offender: number;
  readonly view: number;
}

/** A chunk whose certificate this node saw. */
export interface ChunkNote {
  readonly atMs: number;
  readonly chunkId: string;
  readonly producer: number;
  readonly transactions: number;
  readonly sinceCreatedMs: number;
}

/** One line of the recent events. */
export interface Activity {
  readonly key: number;
  readonly atMs: number;
  readonly tone: 'info' | 'good' | 'warn' | 'bad';
  readonly text: string;
  /** Key that merges repeated events into one line with a count. */
  readonly subject: string;
  readonly times: number;
}

export interface Snapshot {
  readonly connection: Connection;
  /** This machine's clock minus the node's, as far as messages tell: to say how long ago something was. */
  readonly skewMs: number;
  /** Messages that did not fit their schema and were left out. */
  readonly malformed: number;
  readonly status: Status | null;
  readonly committee: CommitteeView | null;
  readonly stats: Stats | null;
  readonly alerts: readonly Alert[];
  readonly peers: readonly Peer[];
  /** Counts changes to peers: a reader that has asked the node itself knows when to ask again. */
  readonly peersVersion: number;
  /** Ascending. */
  readonly views: readonly ViewRow[];
  /** One a second, of the last ten minutes; and one a minute, of the last day. */
  readonly series: readonly SeriesPoint[];
  readonly minutes: readonly SeriesPoint[];
  /** Newest last, as are the lists below. */
  readonly checks: readonly QuorumCheck[];
  readonly bisections: readonly Bisection[];
  readonly evidence: readonly EvidenceNote[];
  readonly chunks: readonly ChunkNote[];
  readonly activity: readonly Activity[];
}

/** What changed: whole values replace, lists in `append` grow theirs, views replace those of their number. */
export interface Batch {
  /** True: all rows of before are gone (another chain, or another run of the node). */
  readonly reset: boolean;
  readonly replace: Partial<
    Pick<
      Snapshot,
      | 'connection'
      | 'skewMs'
      | 'malformed'
      | 'status'
      | 'committee'
      | 'stats'
      | 'alerts'
      | 'peers'
      | 'series'
      | 'minutes'
    >
  >;
  readonly views: readonly ViewRow[];
  readonly append: {
    readonly series?: readonly SeriesPoint[];
    readonly minutes?: readonly SeriesPoint[];
    readonly checks?: readonly QuorumCheck[];
    readonly bisections?: readonly Bisection[];
    readonly evidence?: readonly EvidenceNote[];
    readonly chunks?: readonly ChunkNote[];
    readonly activity?: readonly Activity[];
  };
}

export const EMPTY: Snapshot = {
  connection: { type: 'connecting', attempt: 1, lostAtMs: null },
  skewMs: 0,
  malformed: 0,
  status: null,
  committee: null,
  stats: null,
  alerts: [],
  peers: [],
  peersVersion: 0,
  views: [],
  series: [],
  minutes: [],
  checks: [],
  bisections: [],
  evidence: [],
  chunks: [],
  activity: [],
};

/** Values that a batch does not touch stay the same objects, so that what draws them is not drawn again. */
export function applyBatch(before: Snapshot, { reset, replace, views, append }: Batch): Snapshot {
  const base = reset ? { ...EMPTY, connection: before.connection, peersVersion: before.peersVersion } : before;
  return {
    ...base,
    ...replace,
    peersVersion: replace.peers === undefined ? base.peersVersion : base.peersVersion + 1,
    views: mergeViews(base.views, views),
    series: goOn(replace.series ?? base.series, append.series, SECONDS_MAX),
    minutes: goOn(replace.minutes ?? base.minutes, append.minutes, MINUTES_MAX),
    checks: extend(base.checks, append.checks, CHECKS_MAX),
    bisections: extend(base.bisections, append.bisections, BISECTIONS_MAX),
    evidence: extend(base.evidence, append.evidence, EVIDENCE_MAX),
    chunks: extend(base.chunks, append.chunks, CHUNKS_MAX),
    activity: noticed(base.activity, append.activity ?? []),
  };
}

function goOn(series: readonly SeriesPoint[], more: readonly SeriesPoint[] | undefined, max: number) {
  return more === undefined || more.length === 0 ? series : followedBy(series, more, max);
}

function extend<T>(list: readonly T[], more: readonly T[] | undefined, max: number): readonly T[] {
  if (more === undefined || more.length === 0) return list;
  return list.concat(more).slice(-max);
}

/** The newest of a subject takes the place of the one before it. */
export function noticed(list: readonly Activity[], more: readonly Activity[]): readonly Activity[] {
  if (more.length === 0) return list;
  return more
    .reduce<readonly Activity[]>((before, line) => {
      const times = (before.find(({ subject }) => subject === line.subject)?.times ?? 0) + line.times;
      return [...before.filter(({ subject }) => subject !== line.subject), { ...line, times }];
    }, list)
    .slice(-ACTIVITY_MAX);
}

function mergeViews(rows: readonly ViewRow[], changed: readonly ViewRow[]): readonly ViewRow[] {
  if (changed.length === 0) return rows;
  const byView = new Map(rows.map((row) => [row.view, row]));
  for (const row of changed) byView.set(row.view, row);
  return [...byView.values()].sort((a, b) => a.view - b.view).slice(-VIEWS_MAX);
}
