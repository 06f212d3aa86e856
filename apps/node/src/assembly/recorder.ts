/**
 * Flight recordings, in their own folder beside the log (docs/decisions/0021). One without an end mark is of a node that failed or was
 * killed; the next start reports it.
 */
import { join } from 'node:path';
import { createRecorder, type Recorder, unfinishedRecording } from '@slipstream/flight-recorder';
import { type Config, DATA } from '@slipstream/node-home';
import type { Clock, Disk, Telemetry } from '@slipstream/ports';

export interface FlightRecorder {
  /** Undefined when recording is off. */
  readonly recorder: Recorder | undefined;
  failed(): void;
  stop(): Promise<void>;
  /** The command that replays the newest recording; undefined without one. */
  command(): string | undefined;
}

interface FlightRecorderComponents {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

const BYTES_IN_MEGABYTE = 1024 * 1024;

export async function openFlightRecorder(
  components: FlightRecorderComponents,
  config: Config,
  folder: string,
): Promise<FlightRecorder> {
  const { disk, telemetry } = components;
  if (!config['recorder.enabled']) {
    return { recorder: undefined, failed() {}, stop: async () => {}, command: () => undefined };
  }
  const unfinished = await unfinishedRecording(disk, DATA.recordings).catch(() => undefined);
  if (unfinished !== undefined) {
    telemetry.log(
      'warn',
      'the process before this one was killed or failed; the events of consensus until then are recorded',
      {
        replay: replayCommand(join(folder, unfinished)),
      },
    );
  }
  const bytesMax = config['recorder.megabytes'] * BYTES_IN_MEGABYTE;
  const recorder = createRecorder(components, { directory: DATA.recordings, bytesMax });
  let inOrder = true;
  return {
    recorder,
    failed() {
      inOrder = false;
    },
    stop: () => recorder.close({ inOrder }),
    command: () => (recorder.path === undefined ? undefined : replayCommand(join(folder, recorder.path))),
  };
}

function replayCommand(path: string): string {
  return `slipstream replay ${path}`;
}
