/** A broker gets each block once, in order, also of those whose notice or read failed. */
import type { CommittedBlock } from '@slipstream/broker';
import { silentTelemetry } from '@slipstream/ports';
import { createSimulation } from '@slipstream/simulator';
import { expect, test } from 'vitest';
import { createBlockReports } from '../../src/api-thread/block-reports.ts';

function world() {
  const simulation = createSimulation({ seed: 'reports' });
  const reported: CommittedBlock[] = [];
  const unreadable = new Set<number>();
  const failing = new Set<number>();
  const read: number[] = [];
  const warnings: string[] = [];
  let isAwaited = true;
  const reports = createBlockReports({
    clock: simulation.clock({ node: 'broker' }),
    telemetry: { ...silentTelemetry, log: (level, message) => void (level === 'warn' && warnings.push(message)) },
    ledger: {
      async batches(height) {
        read.push(height);
        if (failing.has(height)) throw new Error('closed');
        return unreadable.has(height) ? undefined : [];
      },
    },
    isAwaited: () => isAwaited,
    report: (block) => void reported.push(block),
  });
  return {
    reports,
    reported,
    unreadable,
    failing,
    read,
    warnings,
    heights: () => reported.map(({ height }) => height),
    nothingWaits: () => {
      isAwaited = false;
    },
    commit: (height: number, skipped: readonly string[] = []) =>
      reports.committed({ epoch: 3, height, timestampMs: 1_000 * height }, new Set(skipped)),
    run: (ms: number) => simulation.run({ untilMs: simulation.nowMs + ms }),
  };
}

test('blocks whose notice was lost are read before the next is reported, with no later time', async () => {
  const { commit, run, heights, reported } = world();
  commit(5);
  await run(10);
  commit(8, ['aa']);
  await run(10);
  expect(heights()).toEqual([5, 6, 7, 8]);
  expect(reported.map(({ timestampMs }) => timestampMs)).toEqual([5_000, 5_000, 5_000, 8_000]);
  expect(reported[3]?.skipped).toEqual(new Set(['aa']));
});

test.each(['unreadable', 'failing'] as const)(
  'a block that is %s is read again, and no later one is reported before it',
  async (how) => {
    const { commit, run, heights, reported, warnings, [how]: missing } = world();
    missing.add(6);
    commit(5);
    commit(6, ['aa']);
    commit(7);
    await run(3_000);
    expect(heights()).toEqual([5]);
    expect(warnings).toHaveLength(1);
    missing.delete(6);
    await run(1_000);
    expect(heights()).toEqual([5, 6, 7]);
    expect(reported[1]).toMatchObject({ timestampMs: 6_000, skipped: new Set(['aa']) });
  },
);

test('blocks that stay missing hold reports up for a minute together, and are then left out with a warning', async () => {
  const { commit, run, heights, unreadable, warnings } = world();
  for (const height of [6, 7, 8]) unreadable.add(height);
  commit(5);
  commit(9);
  await run(59_000);
  expect(heights()).toEqual([5]);
  await run(2_000);
  expect(heights()).toEqual([5, 6, 7, 8, 9]);
  expect(warnings).toHaveLength(4);
});

test('a long gap is read from where batches may still wait, and nothing is read while none waits', async () => {
  const { commit, run, heights, read, nothingWaits } = world();
  commit(5);
  await run(10);
  commit(100_000);
  await run(10);
  expect(heights()).toHaveLength(1_025);
  read.length = 0;
  nothingWaits();
  commit(100_050);
  await run(10);
  expect(read).toEqual([]);
  expect(heights().at(-1)).toBe(100_050);
});

test('nothing is read or reported after the stop', async () => {
  const { reports, commit, run, heights, unreadable, read } = world();
  unreadable.add(6);
  commit(5);
  commit(6);
  await run(1_000);
  reports.stop();
  unreadable.clear();
  read.length = 0;
  commit(7);
  await run(5_000);
  expect(heights()).toEqual([5]);
  expect(read).toEqual([]);
});
