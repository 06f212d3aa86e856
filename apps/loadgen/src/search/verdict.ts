/** Whether a run held its rate. */
import type { RunResult } from '../run/steady-run.ts';

interface Bound {
  readonly finalityP99Ms: number;
  /** Share of sent transactions that may be refused with a retry delay. Default: none. Refused ones do not count as final. */
  readonly refusedShareMax?: number;
}

/** Beyond this lateness the sender, not the chain, limits the run. */
const SENDER_LATE_MS_MAX = 1_000;

/** Why the run did not hold; undefined when it held. */
export function faultOf(
  { counts, latencies, senderLateMs, audit, refusedForNow }: RunResult,
  { finalityP99Ms, refusedShareMax = 0 }: Bound,
): string | undefined {
  const p99 = latencies.final?.p99;
  const faults = [
    counts.refused > refusedForNow && `${counts.refused - refusedForNow} refused for good`,
    refusedForNow > refusedShareMax * counts.sent && `${refusedForNow} refused for now`,
    counts.unanswered > 0 && `${counts.unanswered} unanswered`,
    counts.failed > 0 && `${counts.failed} failed`,
    counts.expired > 0 && `${counts.expired} expired`,
    counts.lost > 0 && `${counts.lost} lost`,
    counts.pending > 0 && `${counts.pending} without an end`,
    p99 === undefined && 'nothing final',
    p99 !== undefined && p99 > finalityP99Ms && `p99 of finality ${p99} ms is over ${finalityP99Ms} ms`,
    senderLateMs > SENDER_LATE_MS_MAX && `the sender itself was ${senderLateMs} ms late`,
    audit !== null && !audit.exactlyOnce && 'the chain contradicts the answers to clients',
  ].filter((fault) => fault !== false);
  return faults.length === 0 ? undefined : faults.join(', ');
}
