import { expect, test } from 'vitest';
import { NODE_SERIES } from '../src/measure/node-series.ts';
import { chartHtml } from '../src/report/chart-html.ts';
import { niceTop } from '../src/report/chart-scales.ts';
import { reportHtml } from '../src/report/html.ts';
import { chartsOf } from '../src/report/run-charts.ts';
import type { Sample } from '../src/run/series.ts';
import type { RunResult } from '../src/run/steady-run.ts';

const COUNTS = {
  sent: 0,
  accepted: 0,
  attested: 0,
  final: 0,
  failed: 0,
  expired: 0,
  lost: 0,
  refused: 0,
  unanswered: 0,
  pending: 0,
};

function sample(seconds: number): Sample {
  return {
    seconds,
    counts: { ...COUNTS, sent: 100 * seconds, accepted: 90 * seconds, final: 80 * seconds, pending: 10 * seconds },
    held: 0,
    height: seconds,
    latencies: { accepted: { p50: 5, p95: 8, p99: 9 }, attested: null, final: { p50: 300, p95: 400, p99: 500 } },
    nodes: [
      {
        node: 'validator-0',
        process: { cpuSeconds: seconds / 2, memoryBytes: 2e8, diskReadBytes: 0, diskWrittenBytes: 3e6 * seconds },
        networkBytes: 1e6 * seconds,
        poolTransactions: 7,
        conflictFreeShare: 0.5,
        series: new Map([
          ['slipstream_state_live_bytes', 3e6],
          ['slipstream_network_sent_bytes_total', 2e6 * seconds],
          ['slipstream_pipeline_stage_ms_sum{stage="execute"}', 30 * seconds],
          ['slipstream_pipeline_stage_ms_count{stage="execute"}', 10 * seconds],
        ]),
      },
    ],
    ownCpuSeconds: seconds / 10,
  };
}

const samples = [1, 2, 3].map(sample);
const run: RunResult = {
  transactionsPerSecond: 100,
  seconds: 3,
  counts: COUNTS,
  lost: [],
  refusals: { '<script>': 3 },
  refusedForNow: 3,
  latencies: { accepted: null, attested: null, final: null },
  finalPerSecond: 80,
  senderLateMs: 0,
  drainSeconds: 1,
  audit: null,
  activeAccounts: null,
  samples,
  blocks: 1,
};

test('every series of a run has a chart, those of the nodes’ metrics included', () => {
  const charts = chartsOf(samples);
  expect(charts.map(({ title }) => title)).toEqual([
    ...['Rates', 'Stages', 'Backlog', 'Processor', 'Memory', 'Network', 'Disk', 'Conflict-free share'],
    'Cumulative transactions',
    ...NODE_SERIES.map(({ title }) => title),
  ]);
  const valuesOf = (title: string, line: string) =>
    charts.find((chart) => chart.title === title)?.lines.find(({ name }) => name === line)?.values;
  expect(valuesOf('Rates', 'final')).toEqual([undefined, 80, 80]);
  expect(valuesOf('Processor', 'validator-0')).toEqual([undefined, 0.5, 0.5]);
  expect(valuesOf('Disk', 'validator-0')).toEqual([undefined, 3, 3]);
  expect(valuesOf('Memory', 'validator-0')).toEqual([200, 200, 200]);
  expect(valuesOf('Cumulative transactions', 'final')).toEqual([80, 160, 240]);
  expect(valuesOf('Live state', 'validator-0')).toEqual([3, 3, 3]);
  expect(valuesOf('Network out', 'validator-0')).toEqual([undefined, 2, 2]);
  expect(valuesOf('Block execution', 'validator-0')).toEqual([undefined, 3, 3]);
  expect(valuesOf('Dead state', 'validator-0')).toEqual([undefined, undefined, undefined]);
});

/** By their titles there. */
const VRYX_APPENDIX = {
  'Transactions Per Second': 'Rates',
  'Cumulative Transactions': 'Cumulative transactions',
  'Bandwidth (Units)': 'Units: bandwidth',
  'Collect Chunk Signatures': 'Chunk certification',
  'Block Execution Latency': 'Block execution',
  'Chunk Backlog (Gossip)': 'Chunk backlog',
  'Alive Bytes': 'Live state',
  'Useless Bytes': 'Dead state',
  'Chain Data': 'Chain data',
  'Network Inbound': 'Network in',
  'Network Outbound': 'Network out',
  'CPU Usage': 'Processor',
  'Memory Usage': 'Memory',
  'Deleted Blocks': 'Pruned blocks',
  'Deleted Chunks': 'Pruned chunks',
  'Executable Transactions': 'Executable transactions',
  'Network Latency': 'Round trips',
  'Commit Latency': 'Block commit',
  'Blocks Processing': 'Blocks processing',
  'Blocks Accepted': 'Blocks accepted',
  // Consensus rejects no block: a view without one is nullified.
  'Blocks Rejected': 'Views nullified',
  'Unprocessed Messages': 'Messages between threads',
  'Unprocessed Async Messages': 'Queued to peers',
  // Only the log's writes are waited for.
  'Disk Write Latency': 'Log sync',
  'State Changes': 'State changes',
  'Read (Units)': 'Units: read',
  'Write (Units)': 'Units: write',
  'Allocate (Units)': 'Units: allocate',
} as const;

test('each of the 28 series of Vryx’s appendix has a chart of its own', () => {
  const drawn = Object.values(VRYX_APPENDIX);
  expect(new Set(drawn).size).toBe(28);
  expect(chartsOf(samples).map(({ title }) => title)).toEqual(expect.arrayContaining(drawn));
});

test('the report is self-contained, and foreign names cannot become markup', () => {
  const html = reportHtml({ title: 'A load & more', facts: { seed: '"x"' }, runs: [run] });
  expect(html).not.toMatch(/<script|<link|<img|https?:|url\(/);
  expect(html).toContain('&#60;script&#62;');
  expect(html).toContain('A load &#38; more');
  expect(html.match(/role="img"/g)).toHaveLength(9 + NODE_SERIES.length);
  expect(html).not.toMatch(/NaN|Infinity|undefined/);
});

test('the report names the lost transactions and the nodes that accepted them', () => {
  const lost = [{ id: '0xab', node: '<validator>', expiryMs: 5 }];
  const html = reportHtml({ title: 'A load', facts: {}, runs: [{ ...run, lost }] });
  expect(html).toContain('<tr><th scope="row">lost, accepted by &#60;validator&#62;</th><td>0xab</td></tr>');
});

test('a gap in the data is a gap in the line', () => {
  const times = [0, 1, 2, 3];
  const lines = [{ name: 'a', values: [1, undefined, 2, 1] }];
  const svg = chartHtml(
    { title: 't', about: 'a', unit: 'u', x: { name: 'seconds', unit: 's', values: times }, lines },
    1,
  );
  const drawn = /class="line c0"[^>]* d="([^"]*)"/.exec(svg)?.[1] ?? '';
  expect(drawn.match(/M/g)).toHaveLength(2);
  expect(drawn.match(/L/g)).toHaveLength(1);
});

test('bars stand side by side at each text, each with its spread', () => {
  const lines = [
    { name: 'ours', values: [1, 4], low: [0.5, 3], high: [2, 5] },
    { name: 'theirs', values: [2, undefined] },
  ];
  const x = { name: 'mode', unit: '', values: ['eager', 'buffered'] };
  const html = chartHtml({ kind: 'bars', title: 't', about: 'a', unit: 'ms', x, lines }, 1);
  const places = [...html.matchAll(/class="bar c[01]" x="([0-9.]+)"/g)].map(([, at]) => Number(at));
  expect(places).toHaveLength(3);
  expect([places[0], places[2], places[1]]).toEqual([...places].sort((a, b) => a - b));
  expect(html.match(/class="spread c0"/g)).toHaveLength(2);
  expect(html).toContain('>eager</text>');
  expect(html).toContain('<th scope="col">ours, high</th>');
});

test('a logarithmic scale gives equal ratios equal distances', () => {
  const lines = [{ name: 'a', values: [1, 2, 3] }];
  const x = { name: 'load', unit: '1/s', values: [10, 100, 1_000], isLogarithmic: true };
  const html = chartHtml({ title: 't', about: 'a', unit: 'ms', x, lines }, 1);
  const places = [...(/class="line c0"[^>]* d="([^"]*)"/.exec(html)?.[1] ?? '').matchAll(/[ML]([0-9.]+) /g)].map(
    ([, at]) => Number(at),
  );
  const [first = 0, middle = 0, last = 0] = places;
  expect(last - middle).toBeCloseTo(middle - first, 0);
});

test('a scale ends at a round number at or above the data', () => {
  expect([0, 0.7, 1, 3, 199, 200, 4_800].map(niceTop)).toEqual([1, 1, 1, 5, 200, 200, 5_000]);
});
