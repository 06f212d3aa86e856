/** Measures a thread once per second: event-loop delay, garbage collection, queues. */
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import type { Clock, Telemetry } from '@slipstream/ports';
import type { QueueStats } from './send-queue.ts';
import type { TurnProfile } from './turn-profile.ts';

const WATCH_MS = 1000;
/** A shorter sampling interval costs too much in idle threads. */
const RESOLUTION_MS = 50;
const NS_PER_MS = 1e6;
const QUANTILES = [
  ['0.5', 50],
  ['0.99', 99],
  ['1', 100],
] as const;

interface WatchParts {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly turns?: TurnProfile | undefined;
}

/** `queues`: those that the calling thread sends through. The result stops the watch. */
export function watchThread(
  { clock, telemetry, turns }: WatchParts,
  thread: string,
  queues: () => readonly QueueStats[],
): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const collections = watchGarbage();
  const dropped = new Map<string, number>();
  let cancel = clock.after(WATCH_MS, tick);

  function tick(): void {
    for (const [quantile, percent] of QUANTILES) {
      // The delay includes the sampling interval.
      const ms = Math.max(0, delay.percentile(percent) / NS_PER_MS - RESOLUTION_MS);
      telemetry.gauge('node_event_loop_delay_ms', ms, { thread, quantile });
    }
    delay.reset();
    const { count, ms } = collections.take();
    telemetry.count('node_garbage_collections', count, { thread });
    telemetry.count('node_garbage_collection_ms', ms, { thread });
    for (const { name: queue, messages, bytes, dropped: lost } of queues()) {
      telemetry.gauge('node_thread_queue_messages', messages, { thread, queue });
      telemetry.gauge('node_thread_queue_bytes', bytes, { thread, queue });
      const before = dropped.get(queue) ?? 0;
      if (lost > before) telemetry.count('node_thread_queue_dropped', lost - before, { thread, queue });
      dropped.set(queue, lost);
    }
    for (const { kind, count: began, ms: cpuMs } of turns?.take() ?? []) {
      telemetry.count('node_turns', began, { thread, kind });
      telemetry.count('node_turn_processor_ms', cpuMs, { thread, kind });
    }
    cancel = clock.after(WATCH_MS, tick);
  }

  return () => {
    cancel();
    delay.disable();
    collections.end();
  };
}

function watchGarbage() {
  let count = 0;
  let ms = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      count += 1;
      ms += duration;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return {
    take() {
      const taken = { count, ms };
      count = 0;
      ms = 0;
      return taken;
    },
    end: () => observer.disconnect(),
  };
}
