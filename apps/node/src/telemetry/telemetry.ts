/** Passes events to the operators' stream and listeners, numbers to metrics, texts to the log. */
import type { LogLevel, Telemetry, TelemetryFields } from '@slipstream/ports';
import { to0x } from '@slipstream/primitives';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';

type EventListener = (type: string, fields: TelemetryFields) => void;

export interface NodeTelemetry extends Telemetry {
  /** Called with every event, in order. Must not throw. */
  listen(listener: EventListener): void;
  /** Forgets all listeners: their node's parts are replaced. */
  stopListening(): void;
}

/** Events that also become a log line. */
const LOGGED_EVENTS: Readonly<Record<string, LogLevel>> = {
  'peer.blocked': 'warn',
  'peer.unblocked': 'info',
  'peer.connected': 'info',
  'peer.lost': 'info',
  'upstream.chosen': 'info',
  'alert.raised': 'warn',
  'alert.cleared': 'info',
  'epoch.sealed': 'info',
  'epoch.begun': 'info',
  bisection: 'warn',
  evidence: 'warn',
  'block.refused': 'warn',
  'view.timeout': 'info',
  'view.nullified': 'debug',
  'block.committed': 'debug',
};

/** Bytes and 64-bit numbers to JSON forms. */
function plain(fields: TelemetryFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      const odd: unknown = value;
      if (typeof odd === 'bigint') return [key, odd.toString()];
      return [key, odd instanceof Uint8Array ? to0x(odd) : odd];
    }),
  );
}

/** `span`: undefined while tracing is off. */
export function createNodeTelemetry(logger: Logger, metrics: Metrics, span?: Telemetry['span']): NodeTelemetry {
  const listeners: EventListener[] = [];
  const log = (level: LogLevel, message: string, fields: TelemetryFields = {}) => logger[level](plain(fields), message);

  return {
    event(type, fields) {
      metrics.count('node_events_total', 1, { type });
      const level = LOGGED_EVENTS[type];
      if (level) log(level, type, fields);
      for (const listener of listeners) listener(type, fields);
    },
    count: metrics.count,
    gauge: metrics.gauge,
    observe: metrics.observe,
    log,
    ...(span && { span }),
    listen(listener) {
      listeners.push(listener);
    },
    stopListening() {
      listeners.length = 0;
    },
  };
}
