import { expect, test } from 'vitest';
import { parseMetrics } from '../src/measure/metrics-text.ts';
import { readProcess, readThreads, usedSince } from '../src/measure/process-sampler.ts';

test('metrics are read by name, summed, and by one label; comments, buckets and malformed lines are skipped', () => {
  const text = [
    '# HELP slipstream_x things',
    'slipstream_x{lane="a"} 3',
    'slipstream_x{lane="b"} 4',
    'slipstream_y 0.25',
    'slipstream_h_bucket{le="1"} 5',
    'slipstream_z NaN',
    'no metric at all',
  ].join('\n');
  expect([...parseMetrics(text)]).toEqual([
    ['slipstream_x', 7],
    ['slipstream_x{lane="a"}', 3],
    ['slipstream_x{lane="b"}', 4],
    ['slipstream_y', 0.25],
  ]);
});

test('this process uses memory and processor time, and has a main thread', async () => {
  const use = await readProcess(process.pid);
  expect(use?.memoryBytes).toBeGreaterThan(1_000_000);
  expect(use?.cpuSeconds).toBeGreaterThan(0);
  expect((await readThreads(process.pid)).map(({ name }) => name)).toContain('main');
});

test('an exited process has no measurement', async () => {
  expect(await readProcess(2 ** 22 + 1)).toBeUndefined();
  expect(await readThreads(2 ** 22 + 1)).toEqual([]);
});

test('thread usage is the difference to the last one, and all of a new thread', () => {
  const before = [{ name: 'main', cpuSeconds: 2, waitedSeconds: 1 }];
  const after = [
    { name: 'main', cpuSeconds: 5, waitedSeconds: 4 },
    { name: 'verifier-0', cpuSeconds: 1, waitedSeconds: 2 },
  ];
  expect(usedSince(before, after)).toEqual([
    { name: 'main', cpuSeconds: 3, waitedSeconds: 3 },
    { name: 'verifier-0', cpuSeconds: 1, waitedSeconds: 2 },
  ]);
});
