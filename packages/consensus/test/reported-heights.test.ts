/** How far behind a node takes itself to be, by the heights that peers report. */
import { GENESIS_EPOCH } from '@slipstream/types';
import { expect, it } from 'vitest';
import { believedHeight } from '../src/reported-heights.ts';
import { createCoreWorld, peerOf } from './core-world.ts';

function reportedHeightTo(weights: readonly number[], reports: Readonly<Record<number, number>>): number {
  const { step, core } = createCoreWorld({ weights, cores: [0] });
  for (const [member, finalizedHeight] of Object.entries(reports)) {
    step(0, {
      type: 'heartbeat',
      from: peerOf(Number(member)),
      heartbeat: { epoch: GENESIS_EPOCH, view: 1, finalizedHeight, committedHeight: 0, refusedView: 0 },
    });
  }
  return core(0).status().highestReportedHeight;
}

it('is the height that more than a third of the weight has reached: one false report has no effect', () => {
  expect(reportedHeightTo([1, 1, 1, 1], { 1: 100, 2: 99, 3: 2 ** 50 })).toBe(100);
  expect(reportedHeightTo([1, 1, 1, 1], { 3: 2 ** 50 })).toBe(2 ** 50); // no other report
  expect(reportedHeightTo([1, 1, 1, 1], { 1: 1, 2: 1, 3: 2 ** 50 })).toBe(1);
  expect(reportedHeightTo([4, 3, 2, 1], { 1: 100, 2: 2 ** 50, 3: 2 ** 50 })).toBe(100);
});

it('is the report of the one followed validator, and 0 before any report', () => {
  expect(believedHeight([{ height: 70, weight: 1 }])).toBe(70);
  expect(believedHeight([])).toBe(0);
});

it('is not lowered by validators that are behind', () => {
  expect(reportedHeightTo([1, 1, 1, 1], { 1: 100, 2: 100, 3: 5 })).toBe(100);
});
