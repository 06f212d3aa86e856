import { NODE_SERIES } from '@slipstream/app-loadgen';
import { END_REASONS, ROW_REASONS } from '@slipstream/distilled/stream';
import { expect, test } from 'vitest';
import { METRIC_HELP } from '../../apps/node/src/telemetry/metric-help.ts';
import { createMetrics } from '../../apps/node/src/telemetry/metrics.ts';
import { readRepository } from './repository.ts';

/** In calls of the Telemetry port, and gauges whose names are options. */
const REPORTED = /\b(count|gauge|observe)\(\s*'([a-z]+_[a-z_]+)'|\bname: '(api_[a-z_]+)'/g;

function reportedNames(): readonly string[] {
  const sources = readRepository().filter(({ path }) => /^(apps\/node|packages\/[^/]+)\/src\/.*\.ts$/.test(path));
  const names = sources.flatMap(({ text }) =>
    [...text.matchAll(REPORTED)].map(([, kind, reported, named]) => {
      const name = reported ?? named ?? '';
      return kind === 'count' && !name.endsWith('_total') ? `${name}_total` : name;
    }),
  );
  return [...new Set(names)].sort();
}

test('exactly the reported metrics are described', () => {
  expect(Object.keys(METRIC_HELP).sort()).toEqual(reportedNames());
});

test('the report of a load draws metrics that exist', () => {
  const drawn = NODE_SERIES.map(({ metric }) => metric.replace(/^slipstream_/, '').replace(/\{.*/, ''));
  expect(drawn.filter((name) => !Object.hasOwn(METRIC_HELP, name))).toEqual([]);
});

test('alert rules and dashboard ask for metrics and reasons that brokers have', () => {
  const asked = readRepository()
    .filter(({ path }) => /^scripts\/containers\/monitoring\/(alerts\.yml|slipstream-dashboard\.json)$/.test(path))
    .flatMap(({ text }) => [...text.matchAll(/slipstream_(broker_[a-z_]+)(?:\{reason=~?"([^"]+)"\})?/g)]);
  expect(asked.length).toBeGreaterThan(15);
  const names = asked.map(([, name = '']) => name.replace(/_bucket$/, ''));
  expect(names.filter((name) => !Object.hasOwn(METRIC_HELP, name))).toEqual([]);
  const reasons = Object.keys({ ...ROW_REASONS, ...END_REASONS });
  const patterns = asked.flatMap(([, , reason]) => reason ?? []);
  expect(patterns.length).toBeGreaterThan(2);
  const alternatives = patterns.flatMap((pattern) => expanded(pattern));
  expect(alternatives.filter((reason) => !reasons.includes(reason))).toEqual([]);
});

/** "a-(b|c)": "a-b", "a-c". */
function expanded(pattern: string): readonly string[] {
  const [, before = '', choices = ''] = /^([^(]*)(?:\(([^)]*)\))?$/.exec(pattern) ?? [];
  return choices.split('|').map((choice) => before + choice);
}

test('scrapers get the description as help text', async () => {
  const metrics = createMetrics({ ofProcess: false });
  metrics.count('wal_written_bytes', 7);
  metrics.observe('wal_sync_ms', 1);
  const text = await metrics.registry.metrics();
  expect(text).toContain(`# HELP slipstream_wal_written_bytes_total ${METRIC_HELP.wal_written_bytes_total}\n`);
  expect(text).toContain(`# HELP slipstream_wal_sync_ms ${METRIC_HELP.wal_sync_ms}\n`);
});
