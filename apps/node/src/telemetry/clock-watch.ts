/**
 * Finds a wrong clock by the timestamps of leaders' blocks.
 *
 *   arrival here - timestamp of the block = lead of this node's clock over the leader's + delay of the block
 *
 * Per leader the smallest absolute difference within a minute counts, because a delay only adds. If more leaders agree than may lie, this
 * node's clock is wrong; else a fast leader is reported. A slow leader is invisible, because a block's timestamp is at least its parent's;
 * its own node detects it.
 */
import { FUTURE_TIMESTAMP_MS } from '@slipstream/consensus';
import type { TelemetryFields } from '@slipstream/ports';
import type { Committee } from '@slipstream/types';

const WINDOW_MS = 60_000;
/** Samples per leader; more add nothing. */
const SAMPLES_MAX = 32;
/** A timestamp further ahead is wrong: delay and processing take less, or other alerts are active. */
export const AHEAD_MS = 2000;
/** Samples of all leaders; fewer are not significant. */
const SAMPLES_JUDGED = 5;

interface ClockReading {
  /** This node's clock minus the validators', if more agree than may lie; undefined: too few samples. */
  readonly offsetMs: number | undefined;
  /** Leaders whose blocks come from the future, while this node's clock is right. */
  readonly fastLeaders: readonly number[];
}

export interface ClockWatch {
  listen(type: string, fields: TelemetryFields): void;
  read(): ClockReading;
}

interface ClockWatchComponents {
  readonly wallMs: () => number;
  readonly monotonicMs: () => number;
  /** Whether a block of this view is fresh: the node is not catching up. */
  readonly isFresh: (view: number) => boolean;
}

interface Sample {
  readonly atMs: number;
  readonly offsetMs: number;
}

export function createClockWatch(
  { wallMs, monotonicMs, isFresh }: ClockWatchComponents,
  epochs: { committee(): Pick<Committee, 'members'>; self(): number | undefined },
): ClockWatch {
  const samplesOf = new Map<number, Sample[]>();
  let committee = epochs.committee();

  /** Leaders are named by their index in a committee. */
  function forgetOthers(): void {
    if (committee === epochs.committee()) return;
    committee = epochs.committee();
    samplesOf.clear();
  }

  function nearestZero(samples: readonly Sample[]): number {
    const offsets = samples.map(({ offsetMs }) => offsetMs);
    const least = Math.min(...offsets);
    return least > 0 ? least : Math.min(0, Math.max(...offsets));
  }

  function read(): ClockReading {
    forgetOthers();
    const liarsMax = Math.floor((committee.members.length - 1) / 3);
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
      if (type !== 'block.proposed' || leader === epochs.self() || !isFresh(Number(fields.view))) return;
      forgetOthers();
      const samples = samplesOf.get(leader) ?? [];
      samplesOf.set(leader, samples);
      samples.push({ atMs: monotonicMs(), offsetMs: wallMs() - Number(fields.timestampMs) });
      if (samples.length > SAMPLES_MAX) samples.shift();
    },
    read,
  };
}
