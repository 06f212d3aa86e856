import type { createClock, createRandom } from '@slipstream/platform';
import type { OperationComponents } from '../backend/operation.ts';
import type { Alerts } from '../telemetry/alerts.ts';
import type { LogLosses } from '../telemetry/log-losses.ts';
import type { createMetrics } from '../telemetry/metrics.ts';
import type { NodeTelemetry } from '../telemetry/telemetry.ts';
import type { TurnProfile } from '../threads/turn-profile.ts';
import type { ChunkSpans } from '../tracing/chunk-spans.ts';

export interface NodeWorld {
  readonly clock: ReturnType<typeof createClock>;
  readonly random: ReturnType<typeof createRandom>;
  readonly telemetry: NodeTelemetry;
  readonly metrics: ReturnType<typeof createMetrics>;
  /** Undefined: tracing is off. */
  readonly spans: ChunkSpans | undefined;
  readonly logging: OperationComponents['logging'] & { readonly losses: LogLosses };
  /** Of the main thread; undefined: it is not profiled. */
  readonly turns?: TurnProfile | undefined;
  readonly alerts: Alerts;
  readonly startedMs: number;
  readonly fail: (reason: unknown) => void;
  /** An operator requested the end of the process. */
  readonly finish: () => void;
}
