/**
 * Event hub: numbers events, keeps the newest for those who resume, hands them to readers.
 *
 * An event is checked against its schema and serialized once, whatever the number of readers. One that does not fit is a bug
 * of this node: it is dropped, counted and logged once a type, and never reaches a reader.
 *
 *   publish --> check --> number, serialize --> ring (the newest `eventsMax`)
 *                                          \--> every reader
 */
import type { Clock, Telemetry } from '@slipstream/ports';
import {
  type Check,
  createCheck,
  EVENT_TYPES,
  EVENTS,
  type EventData,
  type EventType,
  type Stats,
  type Topic,
} from '@slipstream/schema';

/** An event as it leaves: `text` is the JSON of a StreamEvent. */
export interface PublishedEvent {
  readonly sequence: number;
  readonly topic: Topic;
  readonly type: EventType;
  readonly text: string;
}

export interface EventHub {
  /** 16 hexadecimal digits that name this run of the node. */
  readonly run: string;
  /** Data that does not fit the schema of its type is dropped. */
  publish<T extends EventType>(type: T, data: EventData<T>): void;
  /** Sequence of the newest event; 0 before the first. */
  sequence(): number;
  /** The lowest sequence that `since` can answer for. */
  oldest(): number;
  /** Events after this sequence; undefined when some of them are gone, or the sequence is not of this run. */
  since(sequence: number): readonly PublishedEvent[] | undefined;
  /** Called for each event from now on, in order; must not throw. Returns the way to stop (idempotent). */
  subscribe(reader: (event: PublishedEvent) => void): () => void;
  /** Data of the newest `stats` event. */
  latestStats(): Stats | undefined;
}

export interface EventHubOptions {
  /** Names this run; differs from one start to the next. */
  readonly run: string;
  /** Events kept for resuming: at 50 a second, a little over a minute. */
  readonly eventsMax?: number;
}

const EVENTS_MAX_DEFAULT = 4096;

export function createEventHub(
  { clock, telemetry }: { readonly clock: Pick<Clock, 'wallMs'>; readonly telemetry: Telemetry },
  { run, eventsMax = EVENTS_MAX_DEFAULT }: EventHubOptions,
): EventHub {
  const checks = new Map<EventType, Check<unknown>>(
    EVENT_TYPES.map((type): [EventType, Check<unknown>] => [type, createCheck(EVENTS[type].data)]),
  );
  const ring: PublishedEvent[] = [];
  const readers = new Set<(event: PublishedEvent) => void>();
  const complainedOf = new Set<EventType>();
  let newest = 0;
  let stats: Stats | undefined;

  function publish<T extends EventType>(type: T, data: EventData<T>): void {
    const checked = checks.get(type)?.(data);
    if (checked?.ok !== true) {
      telemetry.count('api_events_dropped_total', 1, { type });
      if (complainedOf.has(type)) return;
      complainedOf.add(type);
      const faults = checked?.error.map(({ path, message }) => `${path} ${message}`) ?? ['unknown type'];
      telemetry.log('error', 'an event of this node does not fit its schema and was dropped', { type, faults });
      return;
    }
    newest += 1;
    if (type === 'stats') stats = data as Stats;
    const text = JSON.stringify({ type: 'event', sequence: newest, atMs: clock.wallMs(), event: { type, data } });
    const event: PublishedEvent = { sequence: newest, topic: EVENTS[type].topic, type, text };
    ring[newest % eventsMax] = event;
    for (const reader of readers) reader(event);
  }

  function oldest(): number {
    return Math.max(0, newest - eventsMax);
  }

  function since(sequence: number): readonly PublishedEvent[] | undefined {
    if (sequence < oldest() || sequence > newest) return undefined;
    return Array.from({ length: newest - sequence }, (_, i) => ring[(sequence + 1 + i) % eventsMax] as PublishedEvent);
  }

  function subscribe(reader: (event: PublishedEvent) => void): () => void {
    readers.add(reader);
    return () => {
      readers.delete(reader);
    };
  }

  return { run, publish, sequence: () => newest, oldest, since, subscribe, latestStats: () => stats };
}
