/**
 * An event that does not fit its schema is a bug of this node: it is dropped and counted, and the first of each type is logged.
 *
 *   publish --> check --> number, serialize --> ring (the newest `eventsMax`)
 *                                            |--> notify readers; each takes the events that it lacks
 *                                            \--> past: rare events and chart series
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
  /** `atMs`: wall clock; default: now. */
  publish<T extends EventType>(type: T, data: EventData<T>, atMs?: number): void;
  /** Of the newest event; 0: none. */
  sequence(): number;
  /** The lowest sequence to resume after. */
  oldest(): number;
  /** Undefined: not in the ring. */
  at(sequence: number): PublishedEvent | undefined;
  /** `reader` runs after each event and must not throw. The result unsubscribes (idempotent). */
  subscribe(reader: () => void): () => void;
  latestStats(): Stats | undefined;
  /** JSON of a Past. */
  past(): string;
}

interface EventHubOptions {
  /** For resuming: a little over a minute at 50 per second. */
  readonly eventsMax?: number;
}

interface EventHubComponents {
  readonly clock: Pick<Clock, 'wallMs'>;
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
