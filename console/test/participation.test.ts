import type { CommitteeView } from '@slipstream/schema';
import { expect, test } from 'vitest';
import type { ViewRow } from '../src/stream/snapshot.ts';
import { participation, quorumNeeded } from '../src/views/overview/participation.ts';

function committee(...weights: readonly number[]): CommitteeView {
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  const members = weights.map((weight, index) => ({ index, weight, blsPublicKey: '0x', peer: '0x' }));
  return { epoch: 0, totalWeight, quorumWeight: Math.floor((2 * totalWeight) / 3) + 1, members };
}

test.each([
  [committee(1, 1, 1, 1), ['quorum', '3 of 4']],
  [committee(10, 1, 1, 1), ['weight needed', '9 of 13']],
  [null, ['quorum', '– of –']],
])('%#', (given, shown) => {
  expect(quorumNeeded(given)).toEqual(shown);
});

test('certificates of the epoch before are not compared with the committee that began since', () => {
  const rowOf = (view: number, signers: number) =>
    ({ view, notarizeSigners: signers, certifySigners: null }) as ViewRow;
  const rows = [rowOf(8, 4), rowOf(9, 4), rowOf(10, 3), rowOf(11, 2)];
  expect(participation(rows, { ...committee(1, 1, 1, 1, 1), firstView: 10 })).toEqual({
    share: 0.5,
    signers: 2.5,
    members: 5,
  });
  expect(participation(rows.slice(0, 2), { ...committee(1), firstView: 10 }).share).toBeNull();
});
