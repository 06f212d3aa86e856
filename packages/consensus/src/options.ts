import { type TimeParameters, timeFaults } from '@slipstream/types';

/** Times and bounds; optionFaults checks their relations (consensus.md, "Timers"). */
export interface ConsensusOptions extends TimeParameters {
  /** Assumed one-way delay between validators. */
  readonly delayMs: number;
  /** After a nullified view: a leader's wait for the notarization of its optimistic proposal's parent. */
  readonly graceMs: number;
  readonly leaderTimeoutMs: number;
  readonly viewTimeoutMs: number;
  /** Bound of the view timer. */
  readonly maxTimeoutMs: number;
  readonly minBlockIntervalMs: number;
  readonly idleBlockIntervalMs: number;
  readonly retryMs: number;
  readonly skipAfterMs: number;
  readonly minViewMs: number;
  /** Votes are retained from this many views below the last final one up to that many above the current one. */
  readonly retentionViews: number;
  readonly lookaheadViews: number;
  readonly historyQueryMs: number;
  /** 1: vote early for the child of the own vote (rule 4a). */
  readonly earlyVoteViews: number;
}

/** Half of leaderTimeoutMs is for the extra interval of busy machines (block-interval.ts). */
export const LOCAL_OPTIONS: ConsensusOptions = {
  delayMs: 20,
  graceMs: 40,
  leaderTimeoutMs: 400,
  viewTimeoutMs: 800,
  maxTimeoutMs: 10_000,
  minBlockIntervalMs: 100,
  idleBlockIntervalMs: 1000,
  retryMs: 250,
  skipAfterMs: 5000,
  minViewMs: 50,
  retentionViews: 256,
  lookaheadViews: 64,
  historyQueryMs: 1000,
  earlyVoteViews: 0,
};

export const WAN_OPTIONS: ConsensusOptions = {
  delayMs: 200,
  graceMs: 400,
  leaderTimeoutMs: 1000,
  viewTimeoutMs: 2000,
  maxTimeoutMs: 30_000,
  minBlockIntervalMs: 25,
  idleBlockIntervalMs: 1000,
  retryMs: 1000,
  skipAfterMs: 10_000,
  minViewMs: 50,
  retentionViews: 256,
  lookaheadViews: 64,
  historyQueryMs: 3000,
  earlyVoteViews: 1,
};

/**
 * When votes are verified. At quorum: once, as a sum. The others check each vote alone, as the bench `buffered-chain` compares them: on
 * arrival every one, until quorum those whose certificate is not known yet.
 */
export const VOTE_CHECKS = ['at-quorum', 'on-arrival', 'until-quorum'] as const;
export type VoteChecks = (typeof VOTE_CHECKS)[number];

/** A vote waits while the block's timestamp is further in the future (rule 4). */
export const FUTURE_TIMESTAMP_MS = 500;
export const HEARTBEAT_MS = 1000;
/** Votes wait so long for a due proposal, to share one log sync: about the cost of a sync. */
export const SHARED_FRAME_WAIT_MS = 3;
/** Total wait once the proposal is being checked. */
export const SHARED_CHECK_WAIT_MS = 8;
/** Timer growth for each consecutive nullified view. */
export const TIMEOUT_GROWTH = 1.5;

/** One sentence per fault. */
export function optionFaults(options: ConsensusOptions): readonly string[] {
  const faults: string[] = [];
  for (const [name, value] of Object.entries(options)) {
    if (!(Number.isFinite(value) && value >= 0)) faults.push(`${name} must be a number of at least 0, not ${value}`);
  }
  const { viewTimeoutMs, maxTimeoutMs } = options;
  faults.push(...timeFaults(options));
  if (maxTimeoutMs < viewTimeoutMs) {
    faults.push(`viewTimeoutMs (${viewTimeoutMs}) must be at most maxTimeoutMs (${maxTimeoutMs})`);
  }
  if (options.retryMs <= 0) faults.push('retryMs must be above 0');
  if (options.earlyVoteViews > 1) faults.push('earlyVoteViews must be 0 or 1');
  if (options.lookaheadViews < 2) faults.push('lookaheadViews must be at least 2');
  return faults;
}
