/** When rows that wait become a batch (Q4). */
import { BATCH_ROWS_MAX } from '@slipstream/distilled';
import { createSimulation } from '@slipstream/simulator';
import { expect, it } from 'vitest';
import type { RowEntry } from '../src/row-entry.ts';
import { createWindow } from '../src/window.ts';

function createWorld() {
  const simulation = createSimulation({ seed: 'windows' });
  const ended: { readonly rows: number; readonly atMs: number }[] = [];
  const window = createWindow(simulation.clock({ node: 'broker' }), ({ length }) => {
    ended.push({ rows: length, atMs: simulation.nowMs });
  });
  const add = (count: number) => {
    for (let i = 0; i < count; i++) window.add({} as RowEntry);
  };
  return { ended, add, run: (ms: number) => simulation.run({ untilMs: simulation.nowMs + ms }) };
}

it('a thousand rows are a batch at once, with those that come in the same turn', async () => {
  const { ended, add, run } = createWorld();
  add(999);
  await run(20);
  expect(ended).toEqual([]);
  add(100);
  await run(20);
  expect(ended).toEqual([{ rows: 1_099, atMs: 20 }]);
});

it('a full batch waits for nothing, and a thousand rows wait 250 ms from the batch before', async () => {
  const { ended, add, run } = createWorld();
  add(2 * BATCH_ROWS_MAX);
  expect(ended.map(({ rows }) => rows)).toEqual([BATCH_ROWS_MAX, BATCH_ROWS_MAX]);
  add(1_000);
  await run(500);
  expect(ended.slice(2)).toEqual([{ rows: 1_000, atMs: 250 }]);
});
