/**
 * Traces of transactions with OpenTelemetry. Off by default: then nothing of its SDK is loaded, and no span is made.
 *
 *   threads: spans --telemetry lines--> main thread --tracer--> batches --OTLP/HTTP--> collector
 */
import { type HrTime, ROOT_CONTEXT, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import type { Config } from '@slipstream/node-home';
import type { TraceSpan } from '@slipstream/ports';
import { type TraceIds, traceIdsOf } from './trace-ids.ts';

export interface Tracing {
  span(span: TraceSpan): void;
  /** Sends what is queued, for at most a few seconds. */
  stop(): Promise<void>;
}

/** About the node: attributes of the exported resource. */
type Resource = Readonly<Record<string, string>>;

interface SpanExport {
  readonly tracer: Tracer;
  /** The next span without a parent gets these ids. */
  nextRoot(ids: TraceIds): void;
  stop(): Promise<void>;
}

/** export.ts: the command that starts the node loads it, and with it the SDK. */
export type OpenExport = (endpoint: string, resource: Resource) => SpanExport;

/** 0: off. */
export function tracedOneIn(config: Config): number {
  return config['tracing.endpoint'] === '' ? 0 : config['tracing.oneIn'];
}

export function openTracing(openExport: OpenExport, config: Config, resource: Resource): Tracing {
  const { tracer, nextRoot, stop } = openExport(config['tracing.endpoint'], resource);
  return {
    span({ transactionId, name, isRoot, fromMs, toMs, fields }) {
      const ids = traceIdsOf(transactionId);
      const remote = { traceId: ids.traceId, spanId: ids.rootSpanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
      const parent = isRoot ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
      if (isRoot) nextRoot(ids);
      const attributes = Object.fromEntries(
        Object.entries({ ...fields, transaction: transactionId }).map(([key, value]) => [`slipstream.${key}`, value]),
      );
      tracer.startSpan(name, { startTime: timeOf(fromMs), attributes }, parent).end(timeOf(toMs));
    },
    stop,
  };
}

/** Seconds and nanoseconds: a number before the start of the process would count as milliseconds since that start. */
function timeOf(ms: number): HrTime {
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];
}
