import type { CommitteeView } from '@slipstream/schema';
import { expect, test } from 'vitest';
import { quorumNeeded } from '../src/views/overview/participation.ts';

function committee(...weights: readonly number[]): CommitteeView {
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  const members = weights.map((weight, index) => ({ index, weight, blsPublicKey: '0x', peer: '0x' }));
  return { epoch: 0, totalWeight, quorumWeight: Math.floor((2 * totalWeight) / 3) + 1, members };
}

test.each([
  [committee(1, 1, 1, 1), ['quorum', '3 of 4']],
  [committee(10, 1, 1, 1), ['weight needed', '9 of 13']],
  [null, ['quorum', '– of –']],
])('%#', (given, told) => {
  expect(quorumNeeded(given)).toEqual(told);
});
