/** Histograms and counts from events: block time, finality, each stage of a block, quorum checks, attestation, views. */
import type { Clock, Telemetry, TelemetryFields } from '@slipstream/ports';
import { STAGE_SPANS, type StageTimes } from '@slipstream/schema';

interface EventMetrics {
  listen(type: string, fields: TelemetryFields): void;
}

/** Scrapers see these before their first event. */
const AT_ZERO = ['consensus_blocks_accepted_total', 'consensus_views_nullified_total', 'verifier_bisections_total'];

export function createEventMetrics({
  clock,
  telemetry,
}: {
  readonly clock: Pick<Clock, 'monotonicMs' | 'wallMs'>;
  readonly telemetry: Pick<Telemetry, 'count' | 'gauge' | 'observe'>;
}): EventMetrics {
  /** Views above the newest final one with a proposal and no end. */
  const processing = new Set<number>();
  let finalView = 0;
  let committedAtMs: number | undefined;

  function ended(upTo: number, from = 0): void {
    for (const view of processing) if (view >= from && view <= upTo) processing.delete(view);
    telemetry.gauge('consensus_blocks_processing', processing.size);
  }

  function committed({ times, transactions }: TelemetryFields): void {
    const atMs = clock.monotonicMs();
    if (committedAtMs !== undefined) telemetry.observe('pipeline_block_time_ms', atMs - committedAtMs);
    committedAtMs = atMs;
    telemetry.observe('ledger_block_transactions', Number(transactions));
    // The event is the notification.
    const stages: StageTimes = { notifiedMs: clock.wallMs(), ...(times as StageTimes) };
    for (const { stage, from, to } of STAGE_SPANS) {
      const [start, end] = [from(stages), stages[to]];
      if (start === undefined || end === undefined) continue;
      telemetry.observe('pipeline_stage_ms', Math.max(0, end - start), { stage });
    }
  }

  function final(view: number, { sinceArrivalMs }: TelemetryFields): void {
    finalView = Math.max(finalView, view);
    telemetry.observe('consensus_finality_ms', Number(sinceArrivalMs));
    telemetry.count('consensus_blocks_accepted_total');
    ended(finalView);
  }

  function verified({ kind, ms, votes }: TelemetryFields): void {
    telemetry.observe('verifier_quorum_check_ms', Number(ms), { kind: String(kind) });
    telemetry.count('verifier_quorum_checks_total');
    telemetry.count('verifier_votes_checked_total', Number(votes));
  }

  for (const name of AT_ZERO) telemetry.count(name, 0);
  telemetry.gauge('consensus_blocks_processing', 0);

  return {
    listen(type, fields) {
      const view = Number(fields.view);
      if (type === 'block.proposed' && view > finalView) {
        processing.add(view);
        telemetry.gauge('consensus_blocks_processing', processing.size);
      } else if (type === 'block.final') final(view, fields);
      else if (type === 'view.nullified') {
        telemetry.count('consensus_views_nullified_total');
        ended(view, view);
      } else if (type === 'block.committed') committed(fields);
      else if (type === 'quorum.verified') verified(fields);
      else if (type === 'bisection') telemetry.count('verifier_bisections_total');
      else if (type === 'chunk.certified') {
        telemetry.observe('dissemination_attestation_ms', Number(fields.sinceCreatedMs));
      }
    },
  };
}
