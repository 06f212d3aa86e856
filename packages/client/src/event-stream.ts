/**
 * The event stream of a node over a WebSocket, kept alive; where several nodes are given, of the next one when one cannot be reached.
 *
 *   connecting --> live (state, then events) --> lost --> connecting, resuming after the last message taken in --> ...
 *
 * A resume that the node can no longer serve starts with the full state again; so a reader that replaces what it holds at
 * `onState` and applies what comes at `onEvent` never misses anything and never applies anything twice.
 */
import {
  resumeToken,
  routePath,
  type StreamEvent,
  type StreamFullState,
  type StreamHello,
  type StreamMessage,
  type Topic,
} from '@slipstream/schema';
import { closeReason, type WebSocketConstructor, type WebSocketLike, webSocketUrl } from './stream-socket.ts';

export type ConnectionState =
  | { readonly type: 'connecting'; readonly attempt: number }
  | { readonly type: 'live'; readonly resumed: boolean }
  | { readonly type: 'lost'; readonly reason: string; readonly retryInMs: number }
  | { readonly type: 'closed' };

export interface EventStreamOptions {
  /** All when missing. */
  readonly topics?: readonly Topic[];
  /** A node of the fleet, by its name there: its stream is relayed. This node itself when missing. */
  readonly node?: string;
  /** True: each state has what the node remembers of its past (`state.past`), up to 300 kB. */
  readonly past?: boolean;
  readonly onState?: (state: StreamFullState) => void;
  readonly onEvent?: (event: StreamEvent) => void;
  readonly onConnection?: (state: ConnectionState) => void;
  /** A message of any kind came: for measuring staleness. */
  readonly onAlive?: (atMs: number) => void;
}

export interface EventStream {
  /** Idempotent. */
  close(): void;
}

/** The node sends something at least every 5 s. */
const SILENCE_MS_MAX = 15_000;
const RETRY_MS_MIN = 250;
const RETRY_MS_MAX = 5_000;

export interface EventStreamSource {
  /** One or more nodes of one chain, the first being asked first. */
  readonly urls: readonly string[];
  /** 0x...: the state of another chain is not given, and its node left. */
  readonly genesisHash?: string | undefined;
}

export function openEventStream(
  { urls, genesisHash }: EventStreamSource,
  WebSocket: WebSocketConstructor,
  options: EventStreamOptions,
): EventStream {
  let socket: WebSocketLike | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempt = 0;
  /** Of the node in `urls`. */
  let at = 0;
  let closed = false;
  /** What `sequence` counts in. Undefined until the state of a run has come: before it there is nothing to resume. */
  let run: string | undefined;
  let greetedBy = '';
  let sequence = 0;
  let byeReason: string | undefined;

  connect();
  return { close };

  function connect(): void {
    attempt += 1;
    byeReason = undefined;
    options.onConnection?.({ type: 'connecting', attempt });
    const opened = new WebSocket(
      streamUrl(urls[at] as string, options, run === undefined ? undefined : resumeToken(run, sequence)),
    );
    socket = opened;
    opened.addEventListener('message', ({ data }) => {
      if (socket !== opened) return;
      watch();
      receive(data);
    });
    opened.addEventListener('close', (event) => {
      if (socket === opened) lost(byeReason ?? closeReason(event));
    });
    opened.addEventListener('error', () => {
      // A close event follows and says why.
    });
    watch();
  }

  function watch(): void {
    clearTimeout(timer);
    timer = setTimeout(() => lost('silent for too long'), SILENCE_MS_MAX);
  }

  function receive(data: unknown): void {
    const message = parseMessage(data);
    if (message === undefined) return;
    options.onAlive?.(Date.now());
    switch (message.type) {
      case 'hello':
        greet(message);
        break;
      case 'state':
        if (isOfOtherChain(message)) return lost(`not a node of the chain ${genesisHash}`);
        attempt = 0;
        run = greetedBy;
        sequence = message.sequence;
        options.onState?.(message);
        break;
      case 'event':
        if (message.sequence <= sequence) break;
        sequence = message.sequence;
        options.onEvent?.(message);
        break;
      case 'heartbeat':
        sequence = Math.max(sequence, message.sequence);
        break;
      case 'bye':
        byeReason = `${message.reason}: ${message.detail}`;
        break;
      case 'subscribed':
        break;
      default:
        // A newer node may say more: what is not known is left alone.
        message satisfies never;
    }
  }

  function isOfOtherChain({ state }: StreamFullState): boolean {
    return genesisHash !== undefined && state.status?.genesisHash !== genesisHash;
  }

  function greet(hello: StreamHello): void {
    greetedBy = hello.run;
    if (hello.resumed) attempt = 0;
    else {
      run = undefined;
      sequence = 0;
    }
    options.onConnection?.({ type: 'live', resumed: hello.resumed });
  }

  /** One that was live is tried again first: it may go on where it broke off. */
  function lost(reason: string): void {
    if (closed) return;
    clearTimeout(timer);
    drop();
    if (attempt > 0) at = (at + 1) % urls.length;
    const bound = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** attempt);
    const retryInMs = Math.round(bound / 2 + (Math.random() * bound) / 2);
    options.onConnection?.({ type: 'lost', reason, retryInMs });
    timer = setTimeout(connect, retryInMs);
  }

  function drop(): void {
    const dropped = socket;
    socket = undefined;
    dropped?.close(1000);
  }

  function close(): void {
    if (closed) return;
    closed = true;
    clearTimeout(timer);
    drop();
    options.onConnection?.({ type: 'closed' });
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

function parseMessage(data: unknown): StreamMessage | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const message: unknown = JSON.parse(data);
    return typeof message === 'object' && message !== null && 'type' in message
      ? (message as StreamMessage)
      : undefined;
  } catch {
    return undefined;
  }
}
