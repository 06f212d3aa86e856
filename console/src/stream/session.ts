/**
 * The event stream of one node, in a worker.
 *
 *   openEventStream (checks, reconnects, resumes) --> collector --> batcher --> post
 *                                   \--no message--> stale; late messages --> behind
 */
import { type ConnectionState, type EventStream, openEventStream, type WebSocketConstructor } from '@slipstream/client';
import type { StreamEvent, StreamFullState } from '@slipstream/schema';
import { type Batcher, createBatcher, type Timers } from './batcher.ts';
import { createCollector } from './collector.ts';
import { createLagMeter, type LagMeter } from './lag.ts';
import { BATCH_INTERVAL_HIDDEN_MS, BATCH_INTERVAL_MS, SKEW_STEP_MS, STALE_AFTER_MS, STALE_CHECK_MS } from './limits.ts';
import type { Batch } from './snapshot.ts';

interface SessionComponents {
  readonly WebSocket: WebSocketConstructor;
  readonly timers: Timers;
  readonly post: (batch: Batch) => void;
}

export interface Session {
  /** A hidden page gets fewer batches. */
  setVisible(visible: boolean): void;
  stop(): void;
}

interface SessionSource {
  readonly url: string;
  /** By its name in the fleet. */
  readonly node?: string | undefined;
}

export function startSession(components: SessionComponents, source: SessionSource): Session {
  return new StreamSession(components, source);
}

class StreamSession implements Session {
  readonly #timers: Timers;
  readonly #collector = createCollector();
  readonly #batcher: Batcher;
  readonly #lag: LagMeter;
  readonly #stream: EventStream;
  #isLive = false;
  #isStale = false;
  #aliveMs: number;
  #lostAtMs: number | null = null;
  #skewMs: number | undefined;
  #behindMs = 0;
  #malformed = 0;
  #cancelStaleCheck: () => void;

  constructor({ WebSocket, timers, post }: SessionComponents, { url, node }: SessionSource) {
    this.#timers = timers;
    this.#batcher = createBatcher(timers, () => this.#flush(post), BATCH_INTERVAL_MS);
    this.#lag = createLagMeter(timers);
    this.#aliveMs = timers.now();
    this.#cancelStaleCheck = timers.after(STALE_CHECK_MS, () => this.#checkStale());
    this.#stream = openEventStream({ urls: [url] }, WebSocket, {
      ...(node !== undefined && { node }),
      past: true,
      onConnection: (state) => this.#onConnection(state),
      onAlive: () => this.#onAlive(),
      onState: (message) => this.#onState(message),
      onEvent: (message) => this.#onEvent(message),
      onMalformed: () => this.#countMalformed(),
    });
  }

  setVisible(visible: boolean): void {
    this.#batcher.setInterval(visible ? BATCH_INTERVAL_MS : BATCH_INTERVAL_HIDDEN_MS);
  }

  stop(): void {
    this.#cancelStaleCheck();
    this.#batcher.stop();
    this.#stream.close();
  }

  #onConnection(state: ConnectionState): void {
    if (state.type === 'closed') return;
    this.#isLive = state.type === 'live';
    if (this.#isLive) this.#onAlive();
    if (state.type === 'lost') this.#lostAtMs ??= this.#aliveMs;
    if (state.type === 'live') {
      this.#lostAtMs = null;
      this.#isStale = false;
      this.#behindMs = 0;
      this.#showLive();
    } else if (state.type === 'connecting') {
      const { attempt } = state;
      this.#collector.connection({ type: 'connecting', attempt, lostAtMs: this.#lostAtMs });
    } else {
      const { reason, retryInMs } = state;
      const lostAtMs = this.#lostAtMs ?? this.#aliveMs;
      this.#collector.connection({ type: 'lost', reason, retryInMs, lostAtMs });
    }
    this.#batcher.touch();
  }

  #onAlive(): void {
    this.#aliveMs = this.#timers.now();
    if (!this.#isStale) return;
    this.#isStale = false;
    if (this.#isLive) this.#showLive();
  }

  #onState(message: StreamFullState): void {
    this.#lag.forget();
    this.#measure(message.atMs);
    this.#collector.state(message);
    this.#batcher.touch();
  }

  #onEvent(message: StreamEvent): void {
    this.#measure(message.atMs);
    this.#collector.event(message);
    this.#batcher.touch();
  }

  #countMalformed(): void {
    this.#malformed += 1;
    this.#collector.malformed(this.#malformed);
    this.#batcher.touch();
  }

  #measure(sentMs: number): void {
    const { skewMs, lateMs } = this.#lag.measure(sentMs);
    if (this.#skewMs === undefined || Math.abs(skewMs - this.#skewMs) >= SKEW_STEP_MS) {
      this.#skewMs = skewMs;
      this.#collector.skew(skewMs);
    }
    const before = this.#behindMs;
    this.#behindMs = lateMs > STALE_AFTER_MS ? Math.round(lateMs / 1_000) * 1_000 : 0;
    if (this.#behindMs !== before) this.#showLive();
  }

  #showLive(): void {
    const byMs = this.#behindMs;
    this.#collector.connection(byMs > 0 ? { type: 'behind', byMs } : { type: 'live' });
    this.#batcher.touch();
  }

  #checkStale(): void {
    this.#cancelStaleCheck = this.#timers.after(STALE_CHECK_MS, () => this.#checkStale());
    if (!this.#isLive || this.#isStale || this.#timers.now() - this.#aliveMs < STALE_AFTER_MS) return;
    this.#isStale = true;
    this.#collector.connection({ type: 'stale', sinceMs: this.#aliveMs });
    this.#batcher.touch();
  }

  #flush(post: (batch: Batch) => void): void {
    const batch = this.#collector.take();
    if (batch !== undefined) post(batch);
  }
}
