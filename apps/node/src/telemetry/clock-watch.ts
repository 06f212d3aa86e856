/**
 * Whose clock is wrong: the times that leaders put into their blocks, against this node's clock when the block comes.
 *
 *   arrival here - time in the block = how far this node's clock is ahead of the leader's + the way of the block
 *
 * Of each leader the difference nearest to zero counts, within a minute: a block that was late says nothing, and one that came at
 * once says all. That more leaders than may lie agree makes it this node's clock; a leader alone that is ahead is told by name.
 * One that is behind cannot be seen here, since a block's time is at least its parent's: it sees it itself.
 */
import { FUTURE_TIMESTAMP_MS } from '@slipstream/consensus';
import type { TelemetryFields } from '@slipstream/ports';

const WINDOW_MS = 60_000;
/** Of one leader: a fast chain brings more, which say nothing new. */
const SAMPLES_MAX = 32;
/** The way of a block and what this node does meanwhile take less, or other alerts stand. */
export const AHEAD_MS = 2000;
/** Of all leaders together: fewer say nothing yet. */
const SAMPLES_JUDGED = 5;

export interface ClockReading {
  /** This node's clock less the validators', as far as more of them than may lie agree; undefined: nobody can tell. */
  readonly offsetMs: number | undefined;
  /** Leaders whose blocks come from the future while this node's own clock is well. */
  readonly fastLeaders: readonly number[];
}

export interface ClockWatch {
  /** A listener for NodeTelemetry. */
  listen(type: string, fields: TelemetryFields): void;
  read(): ClockReading;
}

export interface ClockWatchComponents {
  readonly wallMs: () => number;
  readonly monotonicMs: () => number;
  /** Whether a block of this view is fresh: the node follows the chain, and is not catching up. */
  readonly isFresh: (view: number) => boolean;
}

interface Sample {
  readonly atMs: number;
  readonly offsetMs: number;
}

export function createClockWatch(
  { wallMs, monotonicMs, isFresh }: ClockWatchComponents,
  { members, self }: { readonly members: number; readonly self: number | undefined },
): ClockWatch {
  const samplesOf = new Map<number, Sample[]>();
  const liarsMax = Math.floor((members - 1) / 3);

  function nearestZero(samples: readonly Sample[]): number {
    const offsets = samples.map(({ offsetMs }) => offsetMs);
    const least = Math.min(...offsets);
    return least > 0 ? least : Math.min(0, Math.max(...offsets));
  }

  function read(): ClockReading {
    const sinceMs = monotonicMs() - WINDOW_MS;
    const byLeader: (readonly [leader: number, offsetMs: number])[] = [];
    let count = 0;
    for (const [leader, samples] of samplesOf) {
      while (samples[0] !== undefined && samples[0].atMs < sinceMs) samples.shift();
      count += samples.length;
      if (samples.length > 0) byLeader.push([leader, nearestZero(samples)]);
    }
    if (count < SAMPLES_JUDGED || byLeader.length <= liarsMax) return { offsetMs: undefined, fastLeaders: [] };
    const sorted = byLeader.map(([, offsetMs]) => offsetMs).toSorted((a, b) => a - b);
    const atMost = sorted[liarsMax] as number;
    const atLeast = sorted[sorted.length - 1 - liarsMax] as number;
    const offsetMs = atLeast > 0 ? atLeast : Math.min(0, atMost);
    const fast =
      offsetMs < -FUTURE_TIMESTAMP_MS ? [] : byLeader.filter(([, ofLeaderMs]) => ofLeaderMs < -FUTURE_TIMESTAMP_MS);
    return { offsetMs, fastLeaders: fast.map(([leader]) => leader).toSorted((a, b) => a - b) };
  }

  return {
    listen(type, fields) {
      const leader = Number(fields.leader);
      if (type !== 'block.proposed' || leader === self || !isFresh(Number(fields.view))) return;
      const samples = samplesOf.get(leader) ?? [];
      samplesOf.set(leader, samples);
      samples.push({ atMs: monotonicMs(), offsetMs: wallMs() - Number(fields.timestampMs) });
      if (samples.length > SAMPLES_MAX) samples.shift();
    },
    read,
  };
}
