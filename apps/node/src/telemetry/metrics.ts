/** Metrics are created at first use, and named `slipstream_<package>_<what>_<unit>`. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { METRIC_HELP } from './metric-help.ts';

const PREFIX = 'slipstream_';
/** In milliseconds. */
const BUCKETS = [0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
/** Buckets of a metric named `_ratio`, 0 to 1. */
const RATIO_BUCKETS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
/** A label with foreign input must not fill the memory. */
const SERIES_PER_NAME_MAX = 1000;

/** Long, so that it rarely wakes the main thread; threads/watch.ts measures delays. */
const EVENT_LOOP_SAMPLE_MS = 500;

type Labels = Readonly<Record<string, string>>;

export interface Metrics {
  readonly registry: Registry;
  count(name: string, by?: number, labels?: Labels): void;
  gauge(name: string, value: number, labels?: Labels): void;
  observe(name: string, value: number, labels?: Labels): void;
}

/** `ofProcess`: also memory, processor, garbage collection; once per process. */
export function createMetrics({ ofProcess = true } = {}): Metrics {
  const registry = new Registry();
  const eventLoopMonitoringPrecision = EVENT_LOOP_SAMPLE_MS;
  if (ofProcess) collectDefaultMetrics({ register: registry, prefix: PREFIX, eventLoopMonitoringPrecision });
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  const series = new Map<string, Set<string>>();

  function isBounded(name: string, labels: Labels): boolean {
    const seen = series.get(name) ?? new Set<string>();
    series.set(name, seen);
    const key = JSON.stringify(labels);
    if (seen.size >= SERIES_PER_NAME_MAX && !seen.has(key)) return false;
    seen.add(key);
    return true;
  }

  function made<M>(all: Map<string, M>, name: string, make: (full: string) => M): M {
    const existing = all.get(name);
    if (existing) return existing;
    const fresh = make(`${PREFIX}${name}`);
    all.set(name, fresh);
    return fresh;
  }

  const configuration = (name: string, labels: Labels) => ({
    name,
    help: METRIC_HELP[name.slice(PREFIX.length)] ?? name.replaceAll('_', ' '),
    labelNames: Object.keys(labels),
    registers: [registry],
  });

  return {
    registry,
    count(name, by = 1, labels = {}) {
      if (!isBounded(name, labels)) return;
      const full = name.endsWith('_total') ? name : `${name}_total`;
      made(counters, full, (of) => new Counter(configuration(of, labels))).inc(labels, by);
    },
    gauge(name, value, labels = {}) {
      if (isBounded(name, labels)) made(gauges, name, (of) => new Gauge(configuration(of, labels))).set(labels, value);
    },
    observe(name, value, labels = {}) {
      if (!isBounded(name, labels)) return;
      const buckets = name.endsWith('_ratio') ? RATIO_BUCKETS : BUCKETS;
      made(histograms, name, (of) => new Histogram({ ...configuration(of, labels), buckets })).observe(labels, value);
    },
  };
}
