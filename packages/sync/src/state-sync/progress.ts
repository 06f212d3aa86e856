import type { Clock, Telemetry } from '@slipstream/ports';
import type { StateSnapshot } from '@slipstream/state';
import { bytesOf } from './choose.ts';

export interface Progress {
  add(bytes: number, from: 'peer' | 'disk'): void;
  done(height: number, blocks: number): void;
  stop(): void;
}

const TELL_MS = 1000;

export function createProgress(
  { clock, telemetry }: { readonly clock: Clock; readonly telemetry: Telemetry },
  snapshot: StateSnapshot,
): Progress {
  const startedMs = clock.monotonicMs();
  const totalBytes = bytesOf(snapshot);
  let fetchedBytes = 0;
  let retainedBytes = 0;
  let cancel = clock.after(TELL_MS, report);

  function read() {
    const tookMs = Math.max(1, clock.monotonicMs() - startedMs);
    const bytesPerSecond = Math.round((fetchedBytes * 1000) / tookMs);
    const leftBytes = Math.max(0, totalBytes - retainedBytes - fetchedBytes);
    const secondsLeft = bytesPerSecond > 0 ? Math.ceil(leftBytes / bytesPerSecond) : undefined;
    return { fetchedBytes, retainedBytes, totalBytes, bytesPerSecond, secondsLeft, tookMs: Math.round(tookMs) };
  }

  function report(): void {
    const now = read();
    telemetry.event('state-sync.progress', now);
    telemetry.gauge('node_state_sync_fetched_bytes', now.fetchedBytes);
    telemetry.gauge('node_state_sync_total_bytes', now.totalBytes);
    const percent = Math.floor(((now.fetchedBytes + now.retainedBytes) * 100) / Math.max(1, totalBytes));
    telemetry.log('info', `state sync: ${Math.min(100, percent)} percent`, now);
    cancel = clock.after(TELL_MS, report);
  }

  return {
    add(bytes, from) {
      if (from === 'peer') fetchedBytes += bytes;
      else retainedBytes += bytes;
    },
    done(height, blocks) {
      const now = read();
      telemetry.event('state-sync.done', { ...now, height });
      telemetry.log('info', `state sync: at height ${height}`, { ...now, height, blocks });
    },
    stop: () => cancel(),
  };
}
