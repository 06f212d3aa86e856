import { silentTelemetry, type Telemetry } from '@slipstream/ports';

/** The pipeline only reports what its subscribers throw. */
export function failingOnErrors(fail: (error: string) => void): Telemetry {
  return {
    ...silentTelemetry,
    log(level, message, fields) {
      if (level === 'error' && fields?.error !== undefined) fail(`${message}: ${fields.error}`);
    },
  };
}
