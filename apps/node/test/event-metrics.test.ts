import { expect, it } from 'vitest';
import { createEventMetrics } from '../src/telemetry/event-metrics.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';

function meter() {
  let nowMs = 1_000;
  const metrics = createMetrics({ ofProcess: false });
  const { listen } = createEventMetrics({
    clock: { monotonicMs: () => nowMs, wallMs: () => nowMs },
    telemetry: metrics,
  });
  return {
    listen,
    pass(ms: number) {
      nowMs += ms;
    },
    async lines() {
      return (await metrics.registry.metrics()).split('\n');
    },
  };
}

it('a view is processing from its proposal until it is final or nullified', async () => {
  const { listen, lines } = meter();
  for (const view of [1, 2, 3, 4]) listen('block.proposed', { view });
  expect(await lines()).toContain('slipstream_consensus_blocks_processing 4');
  listen('view.nullified', { view: 3 });
  listen('block.final', { view: 2, sinceArrivalMs: 40 });
  listen('block.proposed', { view: 2 });
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'slipstream_consensus_blocks_processing 1',
      'slipstream_consensus_blocks_accepted_total 1',
      'slipstream_consensus_views_nullified_total 1',
      'slipstream_consensus_finality_ms_sum 40',
    ]),
  );
});

it('a committed block adds the time since the last, and the duration of each stage that it has', async () => {
  const { listen, pass, lines } = meter();
  const times = { proposedMs: 100, notarizedMs: 150, finalizedMs: 210, executedMs: 130, committedMs: 990 };
  listen('block.committed', { times, transactions: 3 });
  pass(250);
  listen('block.committed', { times: {}, transactions: 0 });
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'slipstream_pipeline_block_time_ms_sum 250',
      'slipstream_pipeline_block_time_ms_count 1',
      'slipstream_pipeline_stage_ms_sum{stage="notarize"} 50',
      'slipstream_pipeline_stage_ms_sum{stage="finalize"} 60',
      'slipstream_pipeline_stage_ms_sum{stage="execute"} 30',
      'slipstream_pipeline_stage_ms_sum{stage="commit"} 780',
      'slipstream_pipeline_stage_ms_sum{stage="notify"} 10',
      'slipstream_ledger_block_transactions_sum 3',
    ]),
  );
  expect((await lines()).filter((line) => line.includes('stage="certify"'))).toEqual([]);
});

it('quorum checks are timed by kind of vote, and count their votes', async () => {
  const { listen, lines } = meter();
  listen('quorum.verified', { kind: 'notarize', votes: 3, ms: 1.5 });
  listen('quorum.verified', { kind: 'chunk', votes: 4, ms: 2 });
  listen('bisection', {});
  listen('chunk.certified', { sinceCreatedMs: 80 });
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'slipstream_verifier_quorum_check_ms_sum{kind="notarize"} 1.5',
      'slipstream_verifier_quorum_checks_total 2',
      'slipstream_verifier_votes_checked_total 7',
      'slipstream_verifier_bisections_total 1',
      'slipstream_dissemination_attestation_ms_sum 80',
    ]),
  );
});
