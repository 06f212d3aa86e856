/** Events, metrics and logs. No call returns a value or throws, so none affects the logic. */
type TelemetryValue = string | number | boolean | bigint | undefined | readonly TelemetryValue[] | TelemetryFields;
export interface TelemetryFields {
  readonly [name: string]: TelemetryValue;
}

/** A finished part of a transaction's way. */
export interface TraceSpan {
  /** Lower-case hex, no prefix. */
  readonly transactionId: string;
  readonly name: string;
  /** The whole way, parent of all other spans. */
  readonly isRoot?: boolean;
  /** Wall clock. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly fields: Readonly<Record<string, string | number>>;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Telemetry {
  /** An event for operators (packages/schema). */
  event(type: string, fields: TelemetryFields): void;
  /** Names: `<package>_<what>_<unit>`. */
  count(name: string, by?: number, labels?: Readonly<Record<string, string>>): void;
  gauge(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  /** A sample of a distribution. */
  observe(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  log(level: LogLevel, message: string, fields?: TelemetryFields): void;
  /** Undefined: nothing is traced. */
  span?(span: TraceSpan): void;
}

/** Discards everything. */
export const silentTelemetry: Telemetry = {
  event() {},
  count() {},
  gauge() {},
  observe() {},
  log() {},
};
