/** Stage times of the newest blocks, for a block's Gantt chart. Bounded. */
import type { TelemetryFields } from '@slipstream/ports';
import type { StageTimes } from '@slipstream/schema';

const BLOCKS_MAX = 2000;

export interface BlockTimes {
  listen(type: string, fields: TelemetryFields): void;
  of(height: number): StageTimes | undefined;
}

export function createBlockTimes(): BlockTimes {
  const times = new Map<number, StageTimes>();
  return {
    listen(type, fields) {
      if (type !== 'block.committed') return;
      times.set(Number(fields.height), fields.times as unknown as StageTimes);
      if (times.size > BLOCKS_MAX) times.delete(times.keys().next().value as number);
    },
    of: (height) => times.get(height),
  };
}
