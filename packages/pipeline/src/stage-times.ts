/** When a block's stages ran here, and how much of them consensus hid. */
import type { Clock } from '@slipstream/ports';
import type { Stage } from './stages.ts';

/** Wall-clock ms at which each stage ended; a stage that did not end is missing. */
export interface StageTimes {
  readonly proposedMs?: number;
  readonly preparedMs?: number;
  readonly executedMs?: number;
  readonly digestedMs?: number;
  readonly optCommittedMs?: number;
  readonly notarizedMs?: number;
  readonly certifiedMs?: number;
  readonly finalizedMs?: number;
  readonly committedMs?: number;
  readonly notifiedMs?: number;
}

const NAMES = {
  prepare: 'preparedMs',
  execute: 'executedMs',
  digest: 'digestedMs',
  optCommit: 'optCommittedMs',
  order: 'finalizedMs',
  certify: 'certifiedMs',
  commit: 'committedMs',
  notify: 'notifiedMs',
} as const satisfies Record<Stage, keyof StageTimes>;

/** Execution and disk: a client would wait for these stages if they were not hidden. */
const WORK = ['execute', 'digest', 'optCommit', 'commit'] as const satisfies readonly Stage[];

export interface HiddenWork {
  /** Part of the work that ran before the block was ordered. */
  readonly shadowedMs: number;
  readonly totalMs: number;
  /** 1 when total is 0. */
  readonly share: number;
}

export interface StageClock {
  start(stage: Stage): void;
  end(stage: Stage): void;
  mark(name: 'proposedMs' | 'notarizedMs'): void;
  /** 0 when the stage did not run. */
  tookMs(stage: Stage): number;
  times(): StageTimes;
  hidden(): HiddenWork;
}

export function createStageClock(clock: Clock): StageClock {
  const starts = new Map<Stage, number>();
  const ends = new Map<Stage, number>();
  const times: { -readonly [Name in keyof StageTimes]: StageTimes[Name] } = {};

  function tookMs(stage: Stage): number {
    const [start, end] = [starts.get(stage), ends.get(stage)];
    return start === undefined || end === undefined ? 0 : end - start;
  }

  function hidden(): HiddenWork {
    const orderedMs = ends.get('order') ?? Number.POSITIVE_INFINITY;
    let shadowedMs = 0;
    let totalMs = 0;
    for (const stage of WORK) {
      const tookAll = tookMs(stage);
      totalMs += tookAll;
      shadowedMs += Math.max(0, Math.min(tookAll, orderedMs - (starts.get(stage) ?? orderedMs)));
    }
    return { shadowedMs, totalMs, share: totalMs === 0 ? 1 : shadowedMs / totalMs };
  }

  return {
    start: (stage) => {
      starts.set(stage, clock.monotonicMs());
    },
    end(stage) {
      ends.set(stage, clock.monotonicMs());
      times[NAMES[stage]] = clock.wallMs();
    },
    mark(name) {
      times[name] ??= clock.wallMs();
    },
    tookMs,
    times: () => ({ ...times }),
    hidden,
  };
}
