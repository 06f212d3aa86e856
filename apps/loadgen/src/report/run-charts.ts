/** The series of a run as charts: rates, stages, backlog, processor, memory, network, disk, conflicts. */
import type { NodeReading } from '../measure/node-sampler.ts';
import type { Sample } from '../run/series.ts';
import type { Chart, Line } from './line-chart.ts';

const MEGABYTE = 1e6;

export function chartsOf(samples: readonly Sample[]): readonly Chart[] {
  const times = samples.map(({ seconds }) => seconds);
  const names = (samples[0]?.nodes ?? []).map(({ node }) => node);
  const chart = (title: string, unit: string, about: string, lines: readonly Line[], top?: number): Chart => ({
    ...{ title, unit, about, times, lines },
    ...(top !== undefined && { top }),
  });
  const each = (read: (node: NodeReading) => number | undefined): readonly Line[] =>
    names.map((name) => ({ name, values: samples.map((sample) => readingOf(sample, name, read)) }));
  const eachRate = (read: (node: NodeReading) => number | undefined): readonly Line[] =>
    names.map((name) => ({ name, values: ratesOf(samples, (sample) => readingOf(sample, name, read)) }));
  const counted = (name: 'sent' | 'accepted' | 'final' | 'refused'): Line => ({
    name,
    values: ratesOf(samples, ({ counts }) => counts[name]),
  });
  const latency = (stage: 'accepted' | 'attested' | 'final', quantile: 'p50' | 'p99'): Line => ({
    name: `${stage}, ${quantile}`,
    values: samples.map(({ latencies }) => latencies[stage]?.[quantile]),
  });
  return [
    chart(
      ...(['Rates', 'transactions a second', 'What was sent, taken in, final and refused in each second.'] as const),
      (['sent', 'accepted', 'final', 'refused'] as const).map(counted),
    ),
    chart(
      'Stages',
      'ms',
      'Time from the intended send time until each stage, of those that reached it in that second.',
      [
        ...[
          latency('accepted', 'p50'),
          latency('accepted', 'p99'),
          latency('attested', 'p50'),
          latency('attested', 'p99'),
        ],
        ...[latency('final', 'p50'), latency('final', 'p99')],
      ],
    ),
    chart('Backlog', 'transactions', 'Accepted and not ended; held by the sender; waiting in the pools of all nodes.', [
      { name: 'open', values: samples.map(({ counts }) => counts.pending) },
      { name: 'held by the sender', values: samples.map(({ held }) => held) },
      {
        name: 'in pools',
        values: samples.map(({ nodes }) => sumOf(nodes, ({ poolTransactions }) => poolTransactions)),
      },
    ]),
    chart('Processor', 'cores', 'Cores that each process kept busy.', [
      ...eachRate(({ process }) => process?.cpuSeconds),
      { name: 'load generator', values: ratesOf(samples, ({ ownCpuSeconds }) => ownCpuSeconds) },
    ]),
    chart(
      'Memory',
      'MB',
      'Resident memory of each process.',
      each(({ process }) => mega(process?.memoryBytes)),
    ),
    chart(
      ...(['Network', 'MB a second', 'Bytes to and from peers, by node.'] as const),
      eachRate(({ networkBytes }) => mega(networkBytes)),
    ),
    chart(
      ...(['Disk', 'MB a second', 'Bytes written to the disk, by node.'] as const),
      eachRate(({ process }) => mega(process?.diskWrittenBytes)),
    ),
    chart(
      ...([
        'Conflict-free share',
        'of a block',
        'Transactions of the newest block that conflict with no other of it.',
      ] as const),
      each(({ conflictFreeShare }) => conflictFreeShare),
      1,
    ),
  ];
}

function readingOf(sample: Sample, name: string, read: (node: NodeReading) => number | undefined): number | undefined {
  const node = sample.nodes.find((each) => each.node === name);
  return node && read(node);
}

/** Change a second; what restarts from less is not measured there. */
function ratesOf(
  samples: readonly Sample[],
  read: (sample: Sample) => number | undefined,
): readonly (number | undefined)[] {
  return samples.map((sample, index) => {
    const before = samples[index - 1];
    if (before === undefined) return undefined;
    const [now, then] = [read(sample), read(before)];
    const seconds = sample.seconds - before.seconds;
    return now === undefined || then === undefined || now < then || seconds <= 0 ? undefined : (now - then) / seconds;
  });
}

function sumOf(nodes: readonly NodeReading[], read: (node: NodeReading) => number | undefined): number | undefined {
  const known = nodes.map(read).filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b);
}

function mega(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : bytes / MEGABYTE;
}
