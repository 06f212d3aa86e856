import { setTimeout as later } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, silentTelemetry } from '@slipstream/ports';
import { expect, test } from 'vitest';
import { watchThread } from '../../src/threads/watch.ts';

test('a thread counts its garbage collections and the length of their pauses', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const ticks: (() => void)[] = [];
  const clock = { after: (_: number, tick: () => void) => ticks.push(tick) && (() => {}) } as unknown as Clock;
  const counted = new Map<string, number>();
  const count = (name: string, by = 1) => void counted.set(name, (counted.get(name) ?? 0) + by);
  const end = watchThread({ clock, telemetry: { ...silentTelemetry, count } }, 'main', () => []);
  collect();
  collect();
  await later(50);
  ticks.shift()?.();
  end();
  expect(counted.get('node_garbage_collections')).toBeGreaterThanOrEqual(2);
  expect(counted.get('node_garbage_collection_ms')).toBeGreaterThan(0);
});
