/** Metrics of requests stay in the API's thread, because each request updates two; all else goes to the main thread. */
import type { Telemetry } from '@slipstream/ports';
import type { Metrics } from '../telemetry/metrics.ts';

const OWN = /^(api|broker)_/;

export function splitTelemetry(own: Pick<Metrics, 'count' | 'gauge' | 'observe'>, main: Telemetry): Telemetry {
  const of = (name: string) => (OWN.test(name) ? own : main);
  return {
    event: main.event,
    log: main.log,
    ...(main.span && { span: main.span }),
    count: (name, by, labels) => of(name).count(name, by, labels),
    gauge: (name, value, labels) => of(name).gauge(name, value, labels),
    observe: (name, value, labels) => of(name).observe(name, value, labels),
  };
}
