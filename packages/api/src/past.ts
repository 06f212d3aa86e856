/**
 *   stats  --> the last ten minutes by the second, the last day by the minute
 *   events --> the newest of each rare type, bounded per type so that frequent ones evict no evidence
 */
import {
  createMinuteFold,
  type EventType,
  followedBy,
  MINUTES_MAX,
  SECONDS_MAX,
  type SeriesPoint,
  type Stats,
  seriesPoint,
  toSeries,
} from '@slipstream/schema';
import type { PublishedEvent } from './published-event.ts';

/** Per type. Nullified views explain gaps of a timeline. */
const EVENTS_MAX: Partial<Record<EventType, number>> = {
  'view.nullified': 240,
  bisection: 60,
  evidence: 60,
  'peer.blocked': 60,
  'peer.unblocked': 20,
  'peer.connected': 40,
  'peer.lost': 40,
  'alert.raised': 60,
  'alert.cleared': 60,
};

export interface Past {
  add(event: PublishedEvent): void;
  addStats(stats: Stats, atMs: number): void;
  /** JSON of a Past. */
  text(): string;
}

export function createPast(): Past {
  let seconds: readonly SeriesPoint[] = [];
  let minutes: readonly SeriesPoint[] = [];
  const events = new Map<EventType, PublishedEvent[]>();
  const foldMinute = createMinuteFold();
  /** Cached for a second, between two stats events. */
  let seriesText: string | undefined;

  function add(event: PublishedEvent): void {
    const max = EVENTS_MAX[event.type];
    if (max === undefined) return;
    const retained = events.get(event.type) ?? [];
    events.set(event.type, retained);
    append(retained, event, max);
  }

  function addStats(stats: Stats, atMs: number): void {
    seriesText = undefined;
    const point = seriesPoint(stats, atMs);
    seconds = followedBy(seconds, [point], SECONDS_MAX);
    const minute = foldMinute(point);
    if (minute !== undefined) minutes = followedBy(minutes, [minute], MINUTES_MAX);
  }

  function text(): string {
    seriesText ??= `"seconds":${JSON.stringify(toSeries(seconds))},"minutes":${JSON.stringify(toSeries(minutes))}`;
    const inOrder = [...events.values()].flat().sort((a, b) => a.sequence - b.sequence);
    return `{${seriesText},"events":[${inOrder.map(({ text }) => text).join(',')}]}`;
  }

  return { add, addStats, text };
}

function append<T>(list: T[], item: T, max: number): void {
  list.push(item);
  if (list.length > max) list.shift();
}
