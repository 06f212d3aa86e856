/** OpenTelemetry's SDK and its exporter over OTLP/HTTP. Loaded only while tracing is on. */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, RandomIdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import type { OpenExport } from './tracing.ts';

/** Beyond this spans are dropped. */
const QUEUE_MAX = 8_192;
const BATCH_MAX = 512;
const BATCH_MS = 1_000;
/** A collector that does not answer holds neither memory nor the stop of the node. */
const TIMEOUT_MS = 3_000;

export const openExport: OpenExport = (endpoint, resource) => {
  let [nextTrace, nextSpan]: [string?, string?] = [];
  const random = new RandomIdGenerator();
  const exporter = new OTLPTraceExporter({ url: endpoint, timeoutMillis: TIMEOUT_MS });
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: QUEUE_MAX,
    maxExportBatchSize: BATCH_MAX,
    scheduledDelayMillis: BATCH_MS,
    exportTimeoutMillis: TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes(resource),
    spanProcessors: [processor],
    idGenerator: {
      generateTraceId() {
        const id = nextTrace ?? random.generateTraceId();
        nextTrace = undefined;
        return id;
      },
      generateSpanId() {
        const id = nextSpan ?? random.generateSpanId();
        nextSpan = undefined;
        return id;
      },
    },
  });
  return {
    tracer: provider.getTracer('slipstream'),
    nextRoot({ traceId, rootSpanId }) {
      [nextTrace, nextSpan] = [traceId, rootSpanId];
    },
    // What a stopped collector did not take is lost with it.
    stop: () => provider.shutdown().catch(() => {}),
  };
};
