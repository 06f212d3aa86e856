/**
 * Judges a load of twice the capacity: the chain keeps its rate, refuses the rest with a retry delay, bounds the finality of
 * what it accepted, and recovers as soon as the load ends.
 */
import type { RunResult } from '../run/steady-run.ts';

interface OverloadFinding {
  readonly property: string;
  readonly holds: boolean;
  readonly found: string;
}

/** Least share of the rate at capacity while twice as much is offered. */
const RATE_KEPT = 0.7;
/** A node accepts until its oldest transaction has waited 3 s, or its oldest chunk 10 s (dissemination.md, "Intake and forwarding"). */
const FINALITY_MS_MAX = 15_000;
/** Bound on the p99 of the next load, at half of the capacity. */
const RECOVERED_P99_RATIO = 2;
const RECOVERED_P99_MS_MIN = 2_000;

export function judgeOverload(base: RunResult, over: RunResult, after: RunResult): readonly OverloadFinding[] {
  const p99 = (result: RunResult) => result.latencies.final?.p99 ?? Number.POSITIVE_INFINITY;
  const kept = over.finalPerSecond / base.finalPerSecond;
  const recoveredMs = Math.max(RECOVERED_P99_MS_MIN, RECOVERED_P99_RATIO * p99(base));
  const unsafe = [base, over, after].filter(
    ({ counts, audit }) => counts.lost > 0 || counts.pending > 0 || audit?.exactlyOnce === false,
  );
  return [
    finding(
      'the chain keeps its rate',
      kept >= RATE_KEPT,
      `${over.finalPerSecond} of ${base.finalPerSecond} per second`,
    ),
    finding(
      'the rest is refused, each with a time to come back after',
      over.counts.refused > 0 && over.refusedForNow === over.counts.refused,
      `${over.counts.refused} refused, ${over.refusedForNow} with Retry-After`,
    ),
    finding(
      'what was accepted is final in bounded time',
      p99(over) <= FINALITY_MS_MAX && over.counts.expired === 0,
      `p99 ${p99(over)} ms (at most ${FINALITY_MS_MAX}), ${over.counts.expired} expired`,
    ),
    finding(
      'it recovers at once',
      after.counts.refused === 0 && p99(after) <= recoveredMs,
      `drained in ${over.drainSeconds} s; then p99 ${p99(after)} ms (at most ${recoveredMs}), ${after.counts.refused} refused`,
    ),
    finding('each accepted one is final once, or expired', unsafe.length === 0, `${unsafe.length} of 3 runs at fault`),
  ];
}

function finding(property: string, holds: boolean, found: string): OverloadFinding {
  return { property, holds, found };
}
