/** Converts the series of a run to charts. */
import type { NodeReading } from '../measure/node-sampler.ts';
import { NODE_SERIES, valuesOf } from '../measure/node-series.ts';
import type { Sample } from '../run/series.ts';
import type { Chart, Line } from './chart.ts';

const MEGABYTE = 1e6;

type Read = (node: NodeReading) => number | undefined;

export function chartsOf(samples: readonly Sample[]): readonly Chart[] {
  const x = { name: 'seconds', unit: 's', values: samples.map(({ seconds }) => seconds) };
  return [
    rates(samples),
    stages(samples),
    backlog(samples),
    processor(samples),
    memory(samples),
    network(samples),
    disk(samples),
    conflictFreeShare(samples),
    cumulative(samples),
    ...NODE_SERIES.map((series) => ofSeries(series, samples)),
  ].map((chart) => ({ ...chart, x }));
}

type Contents = Omit<Chart, 'x'>;

function rates(samples: readonly Sample[]): Contents {
  const line = (name: 'sent' | 'accepted' | 'final' | 'refused'): Line => ({
    name,
    values: ratesOf(samples, ({ counts }) => counts[name]),
  });
  return {
    title: 'Rates',
    unit: 'transactions per second',
    about: 'Transactions sent, accepted, final and refused in each second.',
    lines: [line('sent'), line('accepted'), line('final'), line('refused')],
  };
}

function stages(samples: readonly Sample[]): Contents {
  const line = (stage: 'accepted' | 'attested' | 'final', quantile: 'p50' | 'p99'): Line => ({
    name: `${stage}, ${quantile}`,
    values: samples.map(({ latencies }) => latencies[stage]?.[quantile]),
  });
  return {
    title: 'Stages',
    unit: 'ms',
    about: 'Time from the intended send time until each stage, of those that reached it in that second.',
    lines: [
      line('accepted', 'p50'),
      line('accepted', 'p99'),
      line('attested', 'p50'),
      line('attested', 'p99'),
      line('final', 'p50'),
      line('final', 'p99'),
    ],
  };
}

function backlog(samples: readonly Sample[]): Contents {
  const inPools = samples.map(({ nodes }) => sumOf(nodes, ({ poolTransactions }) => poolTransactions));
  return {
    title: 'Backlog',
    unit: 'transactions',
    about: 'Accepted and not ended; held by the sender; waiting in the pools of all nodes.',
    lines: [
      { name: 'open', values: samples.map(({ counts }) => counts.pending) },
      { name: 'held by the sender', values: samples.map(({ held }) => held) },
      { name: 'in pools', values: inPools },
    ],
  };
}

function processor(samples: readonly Sample[]): Contents {
  return {
    title: 'Processor',
    unit: 'cores',
    about: 'Cores that each process kept busy.',
    lines: [
      ...ratesOfNodes(samples, ({ process }) => process?.cpuSeconds),
      { name: 'load generator', values: ratesOf(samples, ({ ownCpuSeconds }) => ownCpuSeconds) },
    ],
  };
}

function memory(samples: readonly Sample[]): Contents {
  return {
    title: 'Memory',
    unit: 'MB',
    about: 'Resident memory of each process.',
    lines: readingsOfNodes(samples, ({ process }) => mega(process?.memoryBytes)),
  };
}

function network(samples: readonly Sample[]): Contents {
  return {
    title: 'Network',
    unit: 'MB per second',
    about: 'Bytes to and from peers, by node.',
    lines: ratesOfNodes(samples, ({ networkBytes }) => mega(networkBytes)),
  };
}

function disk(samples: readonly Sample[]): Contents {
  return {
    title: 'Disk',
    unit: 'MB per second',
    about: 'Bytes written to the disk, by node.',
    lines: ratesOfNodes(samples, ({ process }) => mega(process?.diskWrittenBytes)),
  };
}

function conflictFreeShare(samples: readonly Sample[]): Contents {
  return {
    title: 'Conflict-free share',
    unit: 'of a block',
    about: 'Transactions of the newest block that conflict with no other of it.',
    lines: readingsOfNodes(samples, (node) => node.conflictFreeShare),
    top: 1,
  };
}

function cumulative(samples: readonly Sample[]): Contents {
  return {
    title: 'Cumulative transactions',
    unit: 'transactions',
    about: 'Final since the start of the run.',
    lines: [{ name: 'final', values: samples.map(({ counts }) => counts.final) }],
  };
}

function ofSeries(series: (typeof NODE_SERIES)[number], samples: readonly Sample[]): Contents {
  const { title, unit, about, kind, scale = 1 } = series;
  const [first = '', second = ''] = valuesOf(series);
  const scaled =
    (name: string): Read =>
    ({ series: values }) => {
      const value = values.get(name);
      return value === undefined ? undefined : value / scale;
    };
  if (kind === 'value') return { title, unit, about, lines: readingsOfNodes(samples, scaled(first)) };
  const rates = ratesOfNodes(samples, scaled(first));
  if (kind === 'rate') return { title, unit, about, lines: rates };
  const counts = ratesOfNodes(samples, scaled(second));
  const lines = rates.map(({ name, values }, node) => ({
    name,
    values: values.map((sum, at) => quotient(sum, counts[node]?.values[at])),
  }));
  return { title, unit, about, lines };
}

/** Undefined in a second without values. */
function quotient(sum: number | undefined, count: number | undefined): number | undefined {
  return sum === undefined || count === undefined || count === 0 ? undefined : sum / count;
}

function nodesOf(samples: readonly Sample[]): readonly string[] {
  return (samples[0]?.nodes ?? []).map(({ node }) => node);
}

function readingsOfNodes(samples: readonly Sample[], read: Read): readonly Line[] {
  return nodesOf(samples).map((name) => ({ name, values: samples.map((sample) => readingOf(sample, name, read)) }));
}

function ratesOfNodes(samples: readonly Sample[], read: Read): readonly Line[] {
  return nodesOf(samples).map((name) => ({
    name,
    values: ratesOf(samples, (sample) => readingOf(sample, name, read)),
  }));
}

function readingOf(sample: Sample, name: string, read: Read): number | undefined {
  const node = sample.nodes.find((each) => each.node === name);
  return node && read(node);
}

/** Change per second. Undefined where a counter went down, after a restart. */
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

function sumOf(nodes: readonly NodeReading[], read: Read): number | undefined {
  const known = nodes.map(read).filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b);
}

function mega(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : bytes / MEGABYTE;
}
