/** Series of a run: one sample per second of counts, of that second's latencies, and of the nodes. */
import { STAGES, type Stage, type TransactionCounts } from '../fate/sent-transactions.ts';
import type { Load } from '../load.ts';
import { createHistogram, type Histogram, type Quantiles } from '../measure/histogram.ts';
import { type NodeReading, readNodes, type WatchedNode } from '../measure/node-sampler.ts';

export interface Sample {
  /** Since the first transaction was due. */
  readonly seconds: number;
  readonly counts: TransactionCounts;
  /** Due and not sent, because every node has its maximum of open batches. */
  readonly held: number;
  readonly height: number;
  /** Of transactions that reached the stage in this second. */
  readonly latencies: Readonly<Record<Stage, Quantiles | null>>;
  readonly nodes: readonly NodeReading[];
  /** Processor seconds of this program so far. */
  readonly ownCpuSeconds: number;
}

interface SeriesRecorder {
  readonly samples: () => readonly Sample[];
  stop(): Promise<void>;
}

interface SeriesOptions {
  readonly nodes: readonly WatchedNode[];
  /** Whether to read the nodes too, which costs them some work. */
  readonly readsNodes: boolean;
  readonly onSample?: (sample: Sample, before: Sample | undefined) => void;
}

const SAMPLE_MS = 1_000;
/** A day; a longer run retains its first day. */
const SAMPLES_MAX = 86_400;

export function recordSeries(load: Load, { nodes, readsNodes, onSample }: SeriesOptions): SeriesRecorder {
  const samples: Sample[] = [];
  let window = freshWindow();
  const unlisten = load.sent.onLatency((stage, ms) => window[stage].add(ms));
  let reading: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    reading = reading.then(take);
  }, SAMPLE_MS);

  async function take(): Promise<void> {
    const readings = readsNodes ? await readNodes(nodes) : [];
    const { user, system } = process.cpuUsage();
    const closed = window;
    window = freshWindow();
    const sample: Sample = {
      seconds: (performance.now() - load.loop.startMs) / 1_000,
      counts: load.sent.counts(),
      held: load.loop.held(),
      height: load.height(),
      latencies: {
        accepted: closed.accepted.quantiles(),
        attested: closed.attested.quantiles(),
        final: closed.final.quantiles(),
      },
      nodes: readings,
      ownCpuSeconds: (user + system) / 1e6,
    };
    if (samples.length < SAMPLES_MAX) samples.push(sample);
    onSample?.(sample, samples.at(-2));
  }

  return {
    samples: () => samples,
    async stop() {
      clearInterval(timer);
      await reading;
      unlisten();
    },
  };
}

function freshWindow(): Record<Stage, Histogram> {
  return Object.fromEntries(STAGES.map((stage) => [stage, createHistogram()])) as Record<Stage, Histogram>;
}
