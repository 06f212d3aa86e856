/**
 * Stream session: the event stream of one node, validated, collected and passed on in batches. Runs in a worker.
 *
 *   openEventStream (reconnects, resumes) --> checks --> collector --> batcher --> post
 *                                   \--no message--> stale; late messages --> behind
 */
import { openEventStream, type WebSocketConstructor } from '@slipstream/client';
import type { StreamEvent, StreamFullState } from '@slipstream/schema';
import { createBatcher, type Timers } from './batcher.ts';
import { createCollector } from './collector.ts';
import { createLagMeter } from './lag.ts';
import { BATCH_INTERVAL_HIDDEN_MS, BATCH_INTERVAL_MS, SKEW_STEP_MS, STALE_AFTER_MS, STALE_CHECK_MS } from './limits.ts';
import type { Batch } from './snapshot.ts';
import { createMessageChecks } from './validate.ts';

export interface SessionComponents {
  readonly WebSocket: WebSocketConstructor;
  readonly timers: Timers;
  readonly post: (batch: Batch) => void;
}

export interface Session {
  /** A hidden page gets fewer batches. */
  setVisible(visible: boolean): void;
  stop(): void;
}

export function startSession(
  { WebSocket, timers, post }: SessionComponents,
  { url, node }: { readonly url: string; readonly node?: string | undefined },
): Session {
  const checks = createMessageChecks();
  const collector = createCollector();
  const batcher = createBatcher(timers, flush, BATCH_INTERVAL_MS);
  const lag = createLagMeter(timers);
  let live = false;
  let stale = false;
  let aliveMs = timers.now();
  let lostAtMs: number | null = null;
  let skewMs: number | undefined;
  let behindMs = 0;
  let malformed = 0;
  let cancelWatch = timers.after(STALE_CHECK_MS, watch);

  const stream = openEventStream({ urls: [url] }, WebSocket, {
    ...(node !== undefined && { node }),
    past: true,
    onConnection: (state) => {
      if (state.type === 'closed') return;
      live = state.type === 'live';
      if (live) alive();
      if (state.type === 'lost') lostAtMs ??= aliveMs;
      if (state.type === 'live') {
        lostAtMs = null;
        stale = false;
        behindMs = 0;
        show();
      } else if (state.type === 'connecting') {
        collector.connection({ type: 'connecting', attempt: state.attempt, lostAtMs });
      } else {
        const { reason, retryInMs } = state;
        collector.connection({ type: 'lost', reason, retryInMs, lostAtMs: lostAtMs ?? aliveMs });
      }
      batcher.touch();
    },
    onAlive: alive,
    onState: takeState,
    onEvent: takeEvent,
  });

  function takeState(message: StreamFullState): void {
    const known = checks.state(message);
    if (known === undefined) return refuse();
    lag.forget();
    measure(known.atMs);
    collector.state(known);
    batcher.touch();
  }

  function takeEvent(message: StreamEvent): void {
    const verdict = checks.event(message);
    if (verdict === 'malformed') return refuse();
    if (verdict === 'unknown') return;
    measure(message.atMs);
    collector.event(message);
    batcher.touch();
  }

  function refuse(): void {
    malformed += 1;
    collector.malformed(malformed);
    batcher.touch();
  }

  function measure(sentMs: number): void {
    const { skewMs: measuredMs, lateMs } = lag.measure(sentMs);
    if (skewMs === undefined || Math.abs(measuredMs - skewMs) >= SKEW_STEP_MS) {
      skewMs = measuredMs;
      collector.skew(skewMs);
    }
    const before = behindMs;
    behindMs = lateMs > STALE_AFTER_MS ? Math.round(lateMs / 1_000) * 1_000 : 0;
    if (behindMs !== before) show();
  }

  function show(): void {
    collector.connection(behindMs > 0 ? { type: 'behind', byMs: behindMs } : { type: 'live' });
    batcher.touch();
  }

  function alive(): void {
    aliveMs = timers.now();
    if (!stale) return;
    stale = false;
    if (live) show();
  }

  function watch(): void {
    cancelWatch = timers.after(STALE_CHECK_MS, watch);
    if (!live || stale || timers.now() - aliveMs < STALE_AFTER_MS) return;
    stale = true;
    collector.connection({ type: 'stale', sinceMs: aliveMs });
    batcher.touch();
  }

  function flush(): void {
    const batch = collector.take();
    if (batch !== undefined) post(batch);
  }

  function stop(): void {
    cancelWatch();
    batcher.stop();
    stream.close();
  }

  return {
    setVisible: (visible) => batcher.setInterval(visible ? BATCH_INTERVAL_MS : BATCH_INTERVAL_HIDDEN_MS),
    stop,
  };
}
