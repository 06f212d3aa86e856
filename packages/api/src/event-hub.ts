/**
 * Event hub: numbers events, keeps the newest in a ring from which every reader takes them at its own pace.
 *
 * An event is checked against its schema and serialized once, whatever the number of readers. One that does not fit is a bug
 * of this node: it is dropped, counted and logged once a type, and never reaches a reader.
 *
 *   publish --> check --> number, serialize --> ring (the newest `eventsMax`)
 *                                            |--> readers are told, and take what they have not got yet
 *                                            \--> past: what is rare, and the charts
 */
import type { Clock, Random, Telemetry } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import { type Check, EVENT_TYPES, EVENTS, type EventData, type EventType, type Stats } from '@slipstream/schema';
import { createCompiledCheck } from './compiled-check.ts';
import { createPast } from './past.ts';
import type { PublishedEvent } from './published-event.ts';

export interface EventHub {
  /** 16 hexadecimal digits that name this run of the node. */
  readonly run: string;
  /** Data that does not fit the schema of its type is dropped. `atMs`: when it happened, wall clock; default: now. */
  publish<T extends EventType>(type: T, data: EventData<T>, atMs?: number): void;
  /** Sequence of the newest event; 0 before the first. */
  sequence(): number;
  /** The lowest sequence that a reader can resume after. */
  oldest(): number;
  /** The event with this sequence; undefined when it is gone, or not yet there. */
  at(sequence: number): PublishedEvent | undefined;
  /** Calls `reader` after each event; it takes what is new with `at` and must not throw. Returns the way to stop (idempotent). */
  subscribe(reader: () => void): () => void;
  /** Data of the newest `stats` event. */
  latestStats(): Stats | undefined;
  /** JSON of a Past: what is remembered of all events so far. */
  past(): string;
}

interface EventHubOptions {
  /** Events kept for resuming: at 50 a second, a little over a minute. */
  readonly eventsMax?: number;
}

interface EventHubComponents {
  readonly clock: Pick<Clock, 'wallMs'>;
  /** Names the run. */
  readonly random: Pick<Random, 'bytes'>;
  readonly telemetry: Telemetry;
}

const EVENTS_MAX_DEFAULT = 4096;
const RUN_BYTES = 8;

export function createEventHub(
  { clock, random, telemetry }: EventHubComponents,
  { eventsMax = EVENTS_MAX_DEFAULT }: EventHubOptions = {},
): EventHub {
  const run = toHex(random.bytes(RUN_BYTES));
  const checks = new Map<EventType, Check<unknown>>(
    EVENT_TYPES.map((type): [EventType, Check<unknown>] => [type, createCompiledCheck(EVENTS[type].data)]),
  );
  const ring: PublishedEvent[] = [];
  const readers = new Set<() => void>();
  const complainedOf = new Set<EventType>();
  let newest = 0;
  let stats: Stats | undefined;
  const past = createPast();

  function publish<T extends EventType>(type: T, data: EventData<T>, atMs: number = clock.wallMs()): void {
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
    const text = JSON.stringify({ type: 'event', sequence: newest, atMs, event: { type, data } });
    const event: PublishedEvent = { sequence: newest, topic: EVENTS[type].topic, type, text };
    ring[newest % eventsMax] = event;
    past.add(event);
    if (type === 'stats') {
      stats = data as Stats;
      past.addStats(stats, atMs);
    }
    for (const reader of readers) reader();
  }

  function oldest(): number {
    return Math.max(0, newest - eventsMax);
  }

  function at(sequence: number): PublishedEvent | undefined {
    return sequence > oldest() && sequence <= newest ? ring[sequence % eventsMax] : undefined;
  }

  function subscribe(reader: () => void): () => void {
    readers.add(reader);
    return () => {
      readers.delete(reader);
    };
  }

  return { run, publish, sequence: () => newest, oldest, at, subscribe, latestStats: () => stats, past: past.text };
}
