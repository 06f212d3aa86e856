/** Events, metrics and logs of a node. No call returns a value or throws, so telemetry never affects the logic. */
type TelemetryValue = string | number | boolean | bigint | undefined | readonly TelemetryValue[] | TelemetryFields;
export interface TelemetryFields {
  readonly [name: string]: TelemetryValue;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Telemetry {
  /** An event for operators (`block.final`, `peer.blocked`, ...; see packages/schema). */
  event(type: string, fields: TelemetryFields): void;
  /** Adds to a counter. Names: `<package>_<what>_<unit>`. */
  count(name: string, by?: number, labels?: Readonly<Record<string, string>>): void;
  gauge(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  /** Adds a sample to a distribution. */
  observe(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  log(level: LogLevel, message: string, fields?: TelemetryFields): void;
}

/** Discards everything: for libraries used alone, and tests. */
export const silentTelemetry: Telemetry = {
  event() {},
  count() {},
  gauge() {},
  observe() {},
  log() {},
};
