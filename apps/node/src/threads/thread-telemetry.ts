/**
 * Telemetry of other threads, sent once per turn of the event loop. Log lines go at once, because the thread may be about to end; so do
 * events, which are timed by arrival. Numbers alone do not wake the main thread.
 *
 *   thread: event, count, gauge, observe, log, span --> lines --one notice--> main thread: the node's telemetry
 *
 * Beyond LINES_MAX per turn lines are dropped and counted.
 */
import type { LogLevel, Telemetry, TelemetryFields, TraceSpan } from '@slipstream/ports';
import { to0x } from '@slipstream/primitives';
import type { Head } from './message.ts';

/** Head of a `telemetry` notice. */
export type TelemetryLine = readonly [method: keyof Telemetry, ...argumentsOfIt: readonly Head[]];

/** A block of 10,000 transactions makes a few dozen lines. */
const LINES_MAX = 4096;

/** Both keep the order of the calls. */
interface TelemetryOutlet {
  now(lines: readonly TelemetryLine[]): void;
  soon(lines: readonly TelemetryLine[]): void;
}

export function createThreadTelemetry(outlet: TelemetryOutlet): Telemetry {
  let lines: TelemetryLine[] = [];
  let lost = 0;

  function add(line: TelemetryLine): void {
    if (lines.length === 0) setImmediate(flush);
    if (lines.length < LINES_MAX) lines.push(line);
    else lost += 1;
  }

  function flush(): void {
    const gathered = lines;
    if (lost > 0) gathered.push(['count', 'node_thread_telemetry_lost', lost, {}]);
    lines = [];
    lost = 0;
    const isDue = gathered.some(([method]) => method === 'log' || method === 'event');
    if (isDue) outlet.now(gathered);
    else outlet.soon(gathered);
  }

  return {
    event: (type, fields) => add(['event', type, plain(fields)]),
    count: (name, by = 1, labels = {}) => add(['count', name, by, labels]),
    gauge: (name, value, labels = {}) => add(['gauge', name, value, labels]),
    observe: (name, value, labels = {}) => add(['observe', name, value, labels]),
    log: (level, message, fields = {}) => add(['log', level, message, plain(fields)]),
    span: (span) => add(['span', { ...span }]),
  };
}

/** Bytes as text: structured clone would copy the whole buffer behind a view. */
function plain(fields: TelemetryFields): { readonly [name: string]: Head } {
  const entries = Object.entries(fields).map(([name, value]): [string, Head] => {
    const odd: unknown = value;
    return [name, odd instanceof Uint8Array ? to0x(odd) : (value as Head)];
  });
  return Object.fromEntries(entries);
}

export function sendTelemetry(telemetry: Telemetry, lines: readonly TelemetryLine[]): void {
  for (const [method, first, second, third] of lines) {
    if (method === 'event') telemetry.event(first as string, second as TelemetryFields);
    else if (method === 'log') telemetry.log(first as LogLevel, second as string, third as TelemetryFields);
    else if (method === 'span') telemetry.span?.(first as unknown as TraceSpan);
    else telemetry[method](first as string, second as number, third as Readonly<Record<string, string>>);
  }
}
