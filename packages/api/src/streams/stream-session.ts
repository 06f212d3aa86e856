/**
 * One reader of the event stream, whatever carries it.
 *
 *   opening --> hello --(resumed)------------------> live: events as they come, heartbeats in silence
 *                    \--> snapshot --> state, events since --/        \--> bye: slow, stopping, ...
 *
 * Its memory is bounded: events stay in the hub's ring until the carrier has room for them. A reader that falls behind the
 * ring, or takes nothing for long, is told `bye` and dropped. Messages are in order and none is left out: a snapshot is taken
 * at a sequence, and what was published since is in the ring.
 */
import type { Clock } from '@slipstream/ports';
import {
  type ByeReason,
  EVENT_TYPES,
  EVENTS,
  STREAM_PROTOCOL,
  type StreamMessage,
  type Topic,
} from '@slipstream/schema';
import type { EventHub } from '../event-hub.ts';
import type { SnapshotSource } from './snapshot.ts';
import { createStallWatch } from './stall-watch.ts';

export interface StreamCarrier {
  /** `text` is the JSON of one StreamMessage; `sequence` the one to resume after. Never waits. */
  send(text: string, sequence: number, type: StreamMessage['type']): void;
  /** Bytes accepted and not yet handed to the operating system. */
  unsentBytes(): number;
  /** Calls back whenever some of them were handed over. */
  onRoom(listener: () => void): void;
  /** Nothing is sent after this. */
  end(reason: ByeReason, detail: string): void;
}

export interface StreamComponents {
  readonly hub: EventHub;
  readonly snapshots: SnapshotSource;
  readonly clock: Clock;
}

export interface StreamLimits {
  readonly streamBufferBytesMax: number;
  readonly heartbeatMs: number;
}

export interface StreamSubscription {
  readonly topics: readonly Topic[];
  readonly resume: { readonly run: string; readonly sequence: number } | undefined;
  /** With the state comes what the node remembers of its past. */
  readonly past: boolean;
}

export interface StreamSession {
  subscribe(topics: readonly Topic[]): void;
  /** Idempotent; says bye unless the carrier is gone. */
  end(reason: ByeReason, detail: string): void;
  /** The carrier is gone. Idempotent. */
  gone(): void;
}

/** The sequence of a message before the state: whoever would resume after it gets the state. */
const NO_PLACE = 0;

export function openStreamSession(
  { hub, snapshots, clock }: StreamComponents,
  carrier: StreamCarrier,
  { topics, resume, past }: StreamSubscription,
  limits: StreamLimits,
): StreamSession {
  let wanted = new Set<Topic>(topics);
  let open = true;
  /** The newest sequence that the reader has, or has no wish for; undefined until the state is sent. */
  let position: number | undefined;
  let quiet = true;
  const isStalled = createStallWatch(carrier.unsentBytes);
  let cancelHeartbeat = clock.after(limits.heartbeatMs, heartbeat);
  const unsubscribe = hub.subscribe(pump);
  carrier.onRoom(pump);

  const resumed = resume !== undefined && canResume(hub, resume);
  if (resumed) position = resume.sequence;
  greet();
  if (!resumed) void sendState();
  pump();
  return { subscribe, end, gone };

  function greet(): void {
    send({
      type: 'hello',
      protocol: STREAM_PROTOCOL,
      run: hub.run,
      sequence: position ?? NO_PLACE,
      oldest: hub.oldest(),
      atMs: clock.wallMs(),
      topics: [...wanted],
      resumed,
    });
  }

  async function sendState(): Promise<void> {
    try {
      const { sequence, stateText } = await snapshots.take(past);
      if (!open) return;
      const head = `{"type":"state","sequence":${sequence},"atMs":${clock.wallMs()},"state":`;
      sendText(`${head}${stateText}}`, sequence, 'state');
      position = sequence;
      pump();
    } catch {
      end('internal', 'the state could not be gathered: connect again');
    }
  }

  /** Sends what is new while there is room for it. */
  function pump(): void {
    while (open && position !== undefined && position < hub.sequence()) {
      if (carrier.unsentBytes() > limits.streamBufferBytesMax) return;
      const event = hub.at(position + 1);
      if (event === undefined) return end('slow', `events after ${position} were not read in time and are gone`);
      position = event.sequence;
      if (wanted.has(event.topic)) sendText(event.text, event.sequence, 'event');
    }
  }

  function send(message: StreamMessage): void {
    sendText(JSON.stringify(message), message.sequence, message.type);
  }

  function sendText(text: string, sequence: number, type: StreamMessage['type']): void {
    if (!open) return;
    quiet = false;
    carrier.send(text, sequence, type);
  }

  function heartbeat(): void {
    if (!open) return;
    cancelHeartbeat = clock.after(limits.heartbeatMs, heartbeat);
    if (isStalled()) return end('slow', 'nothing was read for a long time');
    if (quiet && position !== undefined) send({ type: 'heartbeat', sequence: position, atMs: clock.wallMs() });
    quiet = true;
  }

  function subscribe(next: readonly Topic[]): void {
    wanted = new Set(next);
    send({ type: 'subscribed', sequence: position ?? NO_PLACE, topics: [...wanted] });
  }

  function end(reason: ByeReason, detail: string): void {
    if (!open) return;
    const bye: StreamMessage = { type: 'bye', reason, detail, sequence: position ?? NO_PLACE };
    carrier.send(JSON.stringify(bye), bye.sequence, 'bye');
    gone();
    carrier.end(reason, detail);
  }

  function gone(): void {
    open = false;
    unsubscribe();
    cancelHeartbeat();
  }
}

function canResume(hub: EventHub, { run, sequence }: NonNullable<StreamSubscription['resume']>): boolean {
  return run === hub.run && sequence !== NO_PLACE && sequence >= hub.oldest() && sequence <= hub.sequence();
}

/** Topics of a query: known ones, all when there is none. Undefined when one is unknown. */
export function parseTopics(text: string | undefined): readonly Topic[] | undefined {
  const all = [...new Set(EVENT_TYPES.map((type) => EVENTS[type].topic))];
  if (text === undefined) return all;
  const topics = text.split(',');
  return topics.every((topic) => (all as readonly string[]).includes(topic)) ? (topics as Topic[]) : undefined;
}

/** "<run>:<sequence>". */
export function parseResume(text: string | undefined): StreamSubscription['resume'] {
  const [, run, sequence] = /^([0-9a-f]{16}):([0-9]{1,15})$/.exec(text ?? '') ?? [];
  return run === undefined || sequence === undefined ? undefined : { run, sequence: Number(sequence) };
}
