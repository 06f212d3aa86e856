/**
 * The page's data about the node: one immutable value, partly replaced by each batch.
 *
 *   worker: message (checked by the client) --> collect --\
 *                                                         batch (at most 30 per second) --> page: applyBatch --> Snapshot --> views
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
  /** Late messages: the data is this old, in whole seconds. */
  | { readonly type: 'behind'; readonly byMs: number }
  /** Connected, but no message came for a while. */
  | { readonly type: 'stale'; readonly sinceMs: number }
  | { readonly type: 'lost'; readonly reason: string; readonly lostAtMs: number; readonly retryInMs: number };

/** A view as this node saw it; what has not happened is null or missing. */
export interface ViewRow {
  readonly view: number;
  readonly leader: number | null;
  readonly height: number | null;
  readonly blockId: string | null;
  readonly kind: 'optimistic' | 'normal' | null;
  /** End times in ms since 1970: from events, and once committed the node's own. */
  readonly times: StageTimes;
  readonly transactions: number | null;
  /** Of distilled batches, charged. */
  readonly rows: number | null;
  readonly notarizeSigners: number | null;
  readonly certifySigners: number | null;
  readonly shadowedMs: number | null;
  readonly nullified: NullifiedView | null;
}

/** Null: inferred from the blocks before and after. */
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

/** `firstView`: of its epoch, when that began while the page was open. */
export type ShownCommittee = CommitteeView & { readonly firstView?: number };

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
  /** Of its distilled batches. */
  readonly rows: number;
  readonly sinceCreatedMs: number;
}

export interface Activity {
  readonly key: number;
  readonly atMs: number;
  readonly tone: 'info' | 'good' | 'warn' | 'bad';
  readonly text: string;
  /** Merges repeated events into one line with a count. */
  readonly subject: string;
  readonly times: number;
}

export interface Snapshot {
  readonly connection: Connection;
  /** This machine's clock minus the node's. */
  readonly skewMs: number;
  /** Dropped: they did not match their schema. */
  readonly malformed: number;
  readonly status: Status | null;
  readonly committee: ShownCommittee | null;
  readonly stats: Stats | null;
  readonly alerts: readonly Alert[];
  readonly peers: readonly Peer[];
  /** Rises with each change of peers, so that a reader queries the node again. */
  readonly peersVersion: number;
  /** Rises when epochs, validators or proposals may have changed. */
  readonly governanceVersion: number;
  /** Ascending. */
  readonly views: readonly ViewRow[];
  /** A point per second of the last ten minutes, and a point per minute of the last day. */
  readonly series: readonly SeriesPoint[];
  readonly minutes: readonly SeriesPoint[];
  /** Newest last, as below. */
  readonly checks: readonly QuorumCheck[];
  readonly bisections: readonly Bisection[];
  readonly evidence: readonly EvidenceNote[];
  readonly chunks: readonly ChunkNote[];
  readonly activity: readonly Activity[];
}

/** Whole values replace, lists are appended, views replace those of the same number. */
export interface Batch {
  /** True: earlier rows are gone, because of another chain or another run of the node. */
  readonly reset: boolean;
  /** Epochs, validators or proposals may have changed. */
  readonly governanceChanged: boolean;
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
  governanceVersion: 0,
  views: [],
  series: [],
  minutes: [],
  checks: [],
  bisections: [],
  evidence: [],
  chunks: [],
  activity: [],
};

/** Unchanged values stay the same objects, so that components are not drawn again. */
export function applyBatch(before: Snapshot, { reset, governanceChanged, replace, views, append }: Batch): Snapshot {
  const { connection, peersVersion, governanceVersion } = before;
  const base = reset ? { ...EMPTY, connection, peersVersion, governanceVersion } : before;
  return {
    ...base,
    ...replace,
    peersVersion: replace.peers === undefined ? base.peersVersion : base.peersVersion + 1,
    governanceVersion: governanceChanged ? base.governanceVersion + 1 : base.governanceVersion,
    views: mergeViews(base.views, views),
    series: goOn(replace.series ?? base.series, append.series, SECONDS_MAX),
    minutes: goOn(replace.minutes ?? base.minutes, append.minutes, MINUTES_MAX),
    checks: extend(base.checks, append.checks, CHECKS_MAX),
    bisections: extend(base.bisections, append.bisections, BISECTIONS_MAX),
    evidence: extend(base.evidence, append.evidence, EVIDENCE_MAX),
    chunks: extend(base.chunks, append.chunks, CHUNKS_MAX),
    activity: withRecent(base.activity, append.activity ?? []),
  };
}

function goOn(series: readonly SeriesPoint[], more: readonly SeriesPoint[] | undefined, max: number) {
  return more === undefined || more.length === 0 ? series : followedBy(series, more, max);
}

function extend<T>(list: readonly T[], more: readonly T[] | undefined, max: number): readonly T[] {
  if (more === undefined || more.length === 0) return list;
  return list.concat(more).slice(-max);
}

/** A new event replaces the previous one of its subject. */
export function withRecent(list: readonly Activity[], more: readonly Activity[]): readonly Activity[] {
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
