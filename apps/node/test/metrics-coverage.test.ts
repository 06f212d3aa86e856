/** What the stream's statistics and the console show is in /metrics and on the dashboard. */
import { readFileSync } from 'node:fs';
import {
  EVENTS,
  FeesSchema,
  PeerSchema,
  STAGE_SPANS,
  StageTimesSchema,
  type Stats,
  StatsSchema,
} from '@slipstream/schema';
import { expect, it } from 'vitest';
import { FEE_METRICS } from '../src/telemetry/fee-metrics.ts';
import { METRIC_HELP } from '../src/telemetry/metric-help.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { PEER_METRICS } from '../src/telemetry/peer-metrics.ts';
import { createStatMetrics, STAT_METRICS } from '../src/telemetry/stat-metrics.ts';

interface Schema {
  readonly type?: string;
  readonly title?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
}

/** Paths of the fields that hold a value; quantiles, lists and alternatives are one each. */
function leavesOf(schema: Schema, path: readonly string[] = []): readonly string[] {
  const present = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const only = present.length === 1 ? (present[0] as Schema) : schema;
  if (only.properties === undefined || only.title === 'Quantiles') return [path.join('.')];
  return Object.entries(only.properties).flatMap(([name, field]) => leavesOf(field, [...path, name]));
}

const leavesIn = (schema: unknown) => leavesOf(schema as Schema);

const DASHBOARD = readFileSync(
  new URL('../../../scripts/containers/monitoring/slipstream-dashboard.json', import.meta.url),
  'utf8',
);
/** Names of a peer, which are labels or need no chart. */
const NAMES_OF_A_PEER = ['peer', 'name', 'validator', 'role', 'address', 'failure'];

const placed = [
  ...Object.values(STAT_METRICS).map(({ metric }) => metric),
  ...Object.values(PEER_METRICS),
  ...Object.values(FEE_METRICS),
  'pipeline_stage_ms',
  'node_events_total',
  'execution_units_total',
  'network_received_bytes_total',
  'network_sent_bytes_total',
  'consensus_blocks_processing',
  'consensus_blocks_accepted_total',
  'consensus_views_nullified_total',
];

it('each field of the statistics has a metric, and no metric is of a field that is gone', () => {
  expect(Object.keys(STAT_METRICS).toSorted()).toEqual(leavesIn(StatsSchema).toSorted());
});

it('each figure of a peer has a metric', () => {
  const fields = Object.keys(PeerSchema.properties).filter((field) => !NAMES_OF_A_PEER.includes(field));
  expect(Object.keys(PEER_METRICS).toSorted()).toEqual(fields.toSorted());
});

it('each figure of the fees has a metric', () => {
  expect(Object.keys(FEE_METRICS).toSorted()).toEqual(Object.keys(FeesSchema.properties).toSorted());
});

it('each time of a block but the proposal ends a stage', () => {
  const ends = STAGE_SPANS.map(({ to }) => to);
  const times = Object.keys(StageTimesSchema.properties).filter((time) => time !== 'proposedMs');
  expect(ends.toSorted()).toEqual(times.toSorted());
});

it('each of these metrics is described, and is on the dashboard', () => {
  for (const metric of placed) {
    expect(METRIC_HELP).toHaveProperty(metric);
    expect(DASHBOARD).toMatch(new RegExp(`slipstream_${metric}\\b|slipstream_${metric}_(bucket|sum|count)\\b`));
  }
});

it('the dashboard asks for no metric that is not there', () => {
  const asked = [...DASHBOARD.matchAll(/slipstream_([a-z0-9_]+?)(?:_bucket|_sum|_count)?\b/g)].map(
    ([, name]) => name as string,
  );
  const others = [...new Set(asked)].filter((name) => !(name in METRIC_HELP) && !name.startsWith('process_'));
  expect(others).toEqual([]);
});

it('each event is counted by its type', () => {
  expect(Object.keys(EVENTS).length).toBeGreaterThan(10);
  expect(METRIC_HELP.node_events_total).toMatch(/by type/);
});

it('counters follow the totals of the statistics, and gauges their values', async () => {
  const metrics = createMetrics({ ofProcess: false });
  const report = createStatMetrics(metrics);
  const statsOf = (executed: number, expired: number, keys: number) =>
    ({
      dissemination: { flow: { executed, refused: [{ reason: 'expired', count: expired }] }, producer: null },
      storage: { state: { keys }, retentionBlocks: null },
    }) as unknown as Stats;
  report(statsOf(5, 1, 10));
  report(statsOf(7, 4, 9));
  const text = await metrics.registry.metrics();
  for (const line of [
    'slipstream_dissemination_executed_transactions_total 7',
    'slipstream_dissemination_refused_transactions_total{reason="expired"} 4',
    'slipstream_state_keys 9',
    'slipstream_node_retention_blocks +Inf',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});
