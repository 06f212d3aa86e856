import type { Telemetry } from '@slipstream/ports';

/** For a check of LevelDB's files: what it will cut off is told. */
export function tellingTorn(telemetry: Telemetry): (file: string, offset: number) => void {
  return (file, offset) =>
    telemetry.log('warn', `took a torn tail off ${file}, as a crash or a power cut leaves it`, { file, offset });
}
