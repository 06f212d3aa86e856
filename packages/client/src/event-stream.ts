/**
 * A node's event stream over a WebSocket that reconnects, to the next of several nodes when one cannot be reached.
 *
 *   connecting --> live (state, then events) --> lost --> connecting, resuming after the last message --> ...
 *
 * Without a resume the full state comes again: a reader that replaces its data at `onState` misses no event and applies none twice.
 */
import {
  createStreamCheck,
  resumeToken,
  routePath,
  type StreamEvent,
  type StreamFullState,
  type StreamHello,
  type Topic,
} from '@slipstream/schema';
import { closeReason, type WebSocketConstructor, type WebSocketLike, webSocketUrl } from './stream-socket.ts';

export type ConnectionState =
  | { readonly type: 'connecting'; readonly attempt: number }
  | { readonly type: 'live'; readonly resumed: boolean }
  | { readonly type: 'lost'; readonly reason: string; readonly retryInMs: number }
  | { readonly type: 'closed' };

export interface EventStreamOptions {
  /** Default: all. */
  readonly topics?: readonly Topic[];
  /** Of a fleet node whose stream this node relays. Default: its own stream. */
  readonly node?: string;
  /** Each state includes the past (`state.past`), up to 300 kB. */
  readonly past?: boolean;
  /** Characters of a message; above, the connection is dropped. Default: 64 Mi. */
  readonly messageMax?: number;
  readonly onState?: (state: StreamFullState) => void;
  readonly onEvent?: (event: StreamEvent) => void;
  /** A message, or a part of one, that does not have its form and was left out. */
  readonly onMalformed?: (fault: string) => void;
  readonly onConnection?: (state: ConnectionState) => void;
  /** At any message, to measure staleness. */
  readonly onAlive?: (atMs: number) => void;
}

export interface EventStream {
  /** Idempotent. */
  close(): void;
}

/** The node sends something every 5 s. */
const IDLE_MS_MAX = 15_000;
const RETRY_MS_MIN = 250;
const RETRY_MS_MAX = 5_000;
const MESSAGE_MAX = 64 * 1024 * 1024;

interface EventStreamSource {
  /** Of one chain; the first is tried first. */
  readonly urls: readonly string[];
  /** 0x...: a node of another chain is dropped before its state is delivered. */
  readonly genesisHash?: string | undefined;
}

export function openEventStream(
  source: EventStreamSource,
  WebSocket: WebSocketConstructor,
  options: EventStreamOptions,
): EventStream {
  const stream = new ReconnectingStream(source, WebSocket, options);
  stream.connect();
  return stream;
}

class ReconnectingStream implements EventStream {
  readonly #source: EventStreamSource;
  readonly #WebSocket: WebSocketConstructor;
  readonly #options: EventStreamOptions;
  readonly #check = createStreamCheck();
  #socket: WebSocketLike | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  #at = 0;
  #isClosed = false;
  /** Run of `sequence`; undefined until its state has come: no resume before. */
  #run: string | undefined;
  #greetedBy = '';
  #sequence = 0;
  #byeReason: string | undefined;

  constructor(source: EventStreamSource, WebSocket: WebSocketConstructor, options: EventStreamOptions) {
    this.#source = source;
    this.#WebSocket = WebSocket;
    this.#options = options;
  }

  connect(): void {
    this.#attempt += 1;
    this.#byeReason = undefined;
    this.#greetedBy = '';
    this.#options.onConnection?.({ type: 'connecting', attempt: this.#attempt });
    const url = this.#source.urls[this.#at] as string;
    const resume = this.#run === undefined ? undefined : resumeToken(this.#run, this.#sequence);
    const opened = new this.#WebSocket(streamUrl(url, this.#options, resume));
    this.#socket = opened;
    opened.addEventListener('message', ({ data }) => {
      if (this.#socket !== opened) return;
      this.#expectSign();
      this.#receive(data);
    });
    opened.addEventListener('close', (event) => {
      if (this.#socket === opened) this.#lost(this.#byeReason ?? closeReason(event));
    });
    opened.addEventListener('error', () => {});
    this.#expectSign();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#drop();
    this.#options.onConnection?.({ type: 'closed' });
  }

  #expectSign(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#lost('no message for too long'), IDLE_MS_MAX);
  }

  #receive(data: unknown): void {
    const max = this.#options.messageMax ?? MESSAGE_MAX;
    if (typeof data === 'string' && data.length > max) {
      this.#options.onMalformed?.(`a message of ${data.length} characters`);
      return this.#lost(`a message above ${max} characters`);
    }
    const { message, malformed, passed } = this.#check(parsed(data));
    this.#options.onAlive?.(Date.now());
    for (const fault of malformed) this.#options.onMalformed?.(fault);
    if (passed !== undefined) this.#sequence = Math.max(this.#sequence, passed);
    if (message === undefined) return;
    switch (message.type) {
      case 'hello':
        this.#onHello(message);
        break;
      case 'state':
        this.#onState(message);
        break;
      case 'event':
        this.#onEvent(message);
        break;
      case 'heartbeat':
        this.#sequence = Math.max(this.#sequence, message.sequence);
        break;
      case 'bye':
        this.#byeReason = `${message.reason}: ${message.detail}`;
        break;
      case 'subscribed':
        break;
      default:
        message satisfies never;
    }
  }

  #onHello(hello: StreamHello): void {
    this.#greetedBy = hello.run;
    if (hello.resumed) this.#attempt = 0;
    else {
      this.#run = undefined;
      this.#sequence = 0;
    }
    this.#options.onConnection?.({ type: 'live', resumed: hello.resumed });
  }

  #onState(message: StreamFullState): void {
    const { genesisHash } = this.#source;
    if (this.#greetedBy === '') return this.#lost('it sent no hello that this version understands');
    if (genesisHash !== undefined && message.state.status.genesisHash !== genesisHash) {
      return this.#lost(`not a node of the chain ${genesisHash}`);
    }
    this.#attempt = 0;
    this.#run = this.#greetedBy;
    this.#sequence = message.sequence;
    this.#options.onState?.(message);
  }

  #onEvent(event: StreamEvent): void {
    if (event.sequence <= this.#sequence) return;
    this.#sequence = event.sequence;
    this.#options.onEvent?.(event);
  }

  /** A node that was live is retried first: its stream may be resumed. */
  #lost(reason: string): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#drop();
    if (this.#attempt > 0) this.#at = (this.#at + 1) % this.#source.urls.length;
    const bound = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** this.#attempt);
    const retryInMs = Math.round(bound / 2 + (Math.random() * bound) / 2);
    this.#options.onConnection?.({ type: 'lost', reason, retryInMs });
    this.#timer = setTimeout(() => this.connect(), retryInMs);
  }

  #drop(): void {
    const dropped = this.#socket;
    this.#socket = undefined;
    dropped?.close(1000);
  }
}

function streamUrl(url: string, { topics, node, past }: EventStreamOptions, resume: string | undefined): string {
  const search = new URLSearchParams();
  if (topics !== undefined) search.set('topics', topics.join(','));
  if (resume !== undefined) search.set('resume', resume);
  if (past === true) search.set('past', 'true');
  const path = node === undefined ? routePath('stream') : routePath('fleetStream', { node });
  return webSocketUrl(url, `${path}${search.size > 0 ? `?${search}` : ''}`);
}

/** Undefined: not JSON. */
function parsed(data: unknown): unknown {
  if (typeof data !== 'string') return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
