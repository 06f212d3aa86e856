/**
 * One reader of the event stream, on any carrier.
 *
 *   opening --> hello --(resumed)------------------> live: events as they come, heartbeats when idle
 *                    \--> snapshot --> state, events since --/        \--> bye: slow, stopping, ...
 *
 * Events stay in the hub's bounded ring until the carrier has capacity; a reader that falls behind it gets `bye`. Messages have no gaps.
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

interface StreamCarrier {
  /** `text`: JSON of one StreamMessage; `sequence`: to resume after. */
  send(text: string, sequence: number, type: StreamMessage['type']): void;
  /** Not yet handed to the operating system. */
  unsentBytes(): number;
  /** Whenever buffered bytes were handed over. */
  onRoom(listener: () => void): void;
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
  readonly past: boolean;
}

export interface StreamSession {
  subscribe(topics: readonly Topic[]): void;
  /** Idempotent; sends bye unless the carrier is closed. */
  end(reason: ByeReason, detail: string): void;
  /** The carrier is closed. Idempotent. */
  gone(): void;
}

/** No sequence yet: resuming after it gets the state. */
const NO_PLACE = 0;

export function openStreamSession(
  components: StreamComponents,
  carrier: StreamCarrier,
  subscription: StreamSubscription,
  limits: StreamLimits,
): StreamSession {
  const reader = new StreamReader(components, carrier, subscription, limits);
  reader.begin(subscription);
  return reader;
}

class StreamReader implements StreamSession {
  readonly #hub: EventHub;
  readonly #snapshots: SnapshotSource;
  readonly #clock: Clock;
  readonly #carrier: StreamCarrier;
  readonly #limits: StreamLimits;
  readonly #isStalled: () => boolean;
  readonly #unsubscribe: () => void;
  #wanted: ReadonlySet<Topic>;
  #isOpen = true;
  /** The reader has all wanted events up to it; undefined until the state is sent. */
  #position: number | undefined;
  #isQuiet = true;
  #cancelHeartbeat: () => void;

  constructor(
    { hub, snapshots, clock }: StreamComponents,
    carrier: StreamCarrier,
    { topics }: StreamSubscription,
    limits: StreamLimits,
  ) {
    this.#hub = hub;
    this.#snapshots = snapshots;
    this.#clock = clock;
    this.#carrier = carrier;
    this.#limits = limits;
    this.#wanted = new Set(topics);
    this.#isStalled = createStallWatch(carrier.unsentBytes);
    this.#cancelHeartbeat = clock.after(limits.heartbeatMs, () => this.#heartbeat());
    this.#unsubscribe = hub.subscribe(() => this.#pump());
    carrier.onRoom(() => this.#pump());
  }

  begin({ resume, past }: StreamSubscription): void {
    const resumed = resume !== undefined && canResume(this.#hub, resume);
    if (resumed) this.#position = resume.sequence;
    this.#greet(resumed);
    if (!resumed) void this.#sendState(past);
    this.#pump();
  }

  subscribe(topics: readonly Topic[]): void {
    this.#wanted = new Set(topics);
    this.#send({ type: 'subscribed', sequence: this.#position ?? NO_PLACE, topics: [...this.#wanted] });
  }

  end(reason: ByeReason, detail: string): void {
    if (!this.#isOpen) return;
    const bye: StreamMessage = { type: 'bye', reason, detail, sequence: this.#position ?? NO_PLACE };
    this.#carrier.send(JSON.stringify(bye), bye.sequence, 'bye');
    this.gone();
    this.#carrier.end(reason, detail);
  }

  gone(): void {
    this.#isOpen = false;
    this.#unsubscribe();
    this.#cancelHeartbeat();
  }

  #greet(resumed: boolean): void {
    this.#send({
      type: 'hello',
      protocol: STREAM_PROTOCOL,
      run: this.#hub.run,
      sequence: this.#position ?? NO_PLACE,
      oldest: this.#hub.oldest(),
      atMs: this.#clock.wallMs(),
      topics: [...this.#wanted],
      resumed,
    });
  }

  async #sendState(past: boolean): Promise<void> {
    try {
      const { sequence, stateText } = await this.#snapshots.take(past);
      if (!this.#isOpen) return;
      const head = `{"type":"state","sequence":${sequence},"atMs":${this.#clock.wallMs()},"state":`;
      this.#sendText(`${head}${stateText}}`, sequence, 'state');
      this.#position = sequence;
      this.#pump();
    } catch {
      this.end('internal', 'the state could not be gathered: connect again');
    }
  }

  #pump(): void {
    while (this.#isOpen && this.#position !== undefined && this.#position < this.#hub.sequence()) {
      if (this.#carrier.unsentBytes() > this.#limits.streamBufferBytesMax) return;
      const event = this.#hub.at(this.#position + 1);
      if (event === undefined) {
        return this.end('slow', `events after ${this.#position} were not read in time and are gone`);
      }
      this.#position = event.sequence;
      if (this.#wanted.has(event.topic)) this.#sendText(event.text, event.sequence, 'event');
    }
  }

  #heartbeat(): void {
    if (!this.#isOpen) return;
    this.#cancelHeartbeat = this.#clock.after(this.#limits.heartbeatMs, () => this.#heartbeat());
    if (this.#isStalled()) return this.end('slow', 'nothing was read for a long time');
    if (this.#isQuiet && this.#position !== undefined) {
      this.#send({ type: 'heartbeat', sequence: this.#position, atMs: this.#clock.wallMs() });
    }
    this.#isQuiet = true;
  }

  #send(message: StreamMessage): void {
    this.#sendText(JSON.stringify(message), message.sequence, message.type);
  }

  #sendText(text: string, sequence: number, type: StreamMessage['type']): void {
    if (!this.#isOpen) return;
    this.#isQuiet = false;
    this.#carrier.send(text, sequence, type);
  }
}

function canResume(hub: EventHub, { run, sequence }: NonNullable<StreamSubscription['resume']>): boolean {
  return run === hub.run && sequence !== NO_PLACE && sequence >= hub.oldest() && sequence <= hub.sequence();
}

/** All without a query; undefined: an unknown one. */
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
