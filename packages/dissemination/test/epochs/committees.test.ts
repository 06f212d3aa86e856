import type { PeerKey } from '@slipstream/ports';
import { type EpochRecord, epoch, recordOfGenesis, type Units } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createCommittees } from '../../src/epochs/committees.ts';
import { genesisOf, memberOf, peerKey } from '../harness/network.ts';
import { createNodeEpochs } from '../harness/node-epochs.ts';

const genesis = genesisOf(3);
const ROTATED = peerKey(90);

function recordOf(at: number, numbers: readonly number[], limits: Units, rotated?: number): EpochRecord {
  const record = recordOfGenesis({ ...genesis, members: numbers.map(memberOf) });
  const members = record.members.map((member, i) =>
    numbers[i] === rotated ? { ...member, peerKey: ROTATED, previousPeerKey: member.peerKey } : member,
  );
  const parameters = { ...record.parameters, fees: { ...record.parameters.fees, limits } };
  return { ...record, epoch: epoch(at), parameters, members };
}

/** Node 1 rotates its key, node 0 leaves, node 3 joins; limits fall, but for one. */
function opened() {
  const records = [recordOf(0, [0, 1, 2], [9, 9, 9, 9, 1]), recordOf(1, [1, 2, 3], [5, 5, 5, 5, 5], 1)];
  const epochs = createNodeEpochs(records, peerKey(2));
  const committees = createCommittees(epochs, { monotonicMs: () => 0 });
  const move = (endedMs: number) => {
    epochs.move(endedMs);
    committees.moved();
  };
  return { committees, records: records as [EpochRecord, EpochRecord], move };
}

describe('the committees of epochs', () => {
  it('know the next epoch once it is sealed, and not before', () => {
    const { committees, records } = opened();
    expect(committees.of(epoch(1))).toBeUndefined();
    expect(committees.validatorOf(peerKey(3))).toBeUndefined();
    committees.sealed(records[1]);
    expect(committees.of(epoch(1))?.indexOf(peerKey(3))).toBe(2);
    expect(committees.current.epoch).toBe(0);
    committees.sealed({ ...records[1], epoch: epoch(5) });
    expect(committees.of(epoch(5))).toBeUndefined();
  });

  it('find a validator under each of its network keys, in each epoch', () => {
    const { committees, records, move } = opened();
    committees.sealed(records[1]);
    move(0);
    const indices = (peer: PeerKey) => [0, 1].map((at) => committees.of(epoch(at))?.indexOf(peer));
    expect(indices(peerKey(1))).toEqual([1, 0]);
    expect(indices(ROTATED)).toEqual([1, 0]);
    expect(indices(peerKey(0))).toEqual([0, undefined]);
    expect(committees.of(epoch(0))?.peersOf(1)).toEqual([ROTATED, peerKey(1)]);
    expect(committees.of(epoch(0))?.peerOf(0)).toBe(peerKey(0));
    expect(committees.of(epoch(0))?.peerOf(7)).toBeUndefined();
  });

  it('name this node by its index of each epoch, and others by that of the current one', () => {
    const { committees, move } = opened();
    move(0);
    expect([committees.of(epoch(0))?.self, committees.current.self]).toEqual([2, 1]);
    expect(committees.isOwn({ epoch: epoch(0), producer: 2 })).toBe(true);
    expect(committees.isOwn({ epoch: epoch(1), producer: 2 })).toBe(false);
    expect(committees.currentIndexOf({ epoch: epoch(0), producer: 1 })).toBe(0);
    expect(committees.currentIndexOf({ epoch: epoch(0), producer: 0 })).toBe(0);
  });

  it('allow a block what its epoch allows, or one whose chunks it may reference', () => {
    const { committees, move } = opened();
    expect(committees.blockLimits({ epoch: epoch(0), timestampMs: 500 })).toEqual([9, 9, 9, 9, 1]);
    move(1_000);
    const limitsAt = (timestampMs: number) => committees.blockLimits({ epoch: epoch(1), timestampMs });
    expect(limitsAt(60_999)).toEqual([9, 9, 9, 9, 5]);
    expect(limitsAt(61_000)).toEqual([5, 5, 5, 5, 5]);
    expect(committees.blockLimits({ epoch: epoch(0), timestampMs: 1_000 })).toEqual([9, 9, 9, 9, 1]);
    committees.expire(61_000);
    expect(limitsAt(61_000)).toEqual([5, 5, 5, 5, 5]);
  });

  it('allow a new transaction what the current epoch and the sealed next one allow', () => {
    const { committees, records, move } = opened();
    expect(committees.intakeLimits()).toEqual([9, 9, 9, 9, 1]);
    committees.sealed(records[1]);
    expect(committees.intakeLimits()).toEqual([5, 5, 5, 5, 1]);
    move(1_000);
    expect(committees.intakeLimits()).toEqual([5, 5, 5, 5, 5]);
  });

  it('allow a block chunks of eight epochs before its own at most, wherever this node is', () => {
    const records = Array.from({ length: 12 }, (_, at) =>
      recordOf(at, [0, 1, 2], at === 1 ? [9, 9, 9, 9, 9] : [5, 5, 5, 5, 5]),
    );
    const epochs = createNodeEpochs(records, peerKey(2));
    const committees = createCommittees(epochs, { monotonicMs: () => 0 });
    const verdicts = () => [0, 1, 2].map((at) => committees.isOver(epoch(at), { epoch: epoch(9), timestampMs: 1_000 }));
    for (let at = 1; at <= 9; at++) {
      epochs.move(at);
      committees.moved();
    }
    expect(verdicts()).toEqual([true, false, false]);
    expect(committees.blockLimits({ epoch: epoch(9), timestampMs: 1_000 })).toEqual([9, 9, 9, 9, 9]);
    epochs.move(10);
    committees.moved();
    committees.expire(1_000);
    expect(verdicts()).toEqual([true, false, false]);
    expect(committees.of(epoch(1))).toBeDefined();
    expect(committees.blockLimits({ epoch: epoch(9), timestampMs: 1_000 })).toEqual([9, 9, 9, 9, 9]);
    expect(committees.blockLimits({ epoch: epoch(10), timestampMs: 1_000 })).toEqual([5, 5, 5, 5, 5]);
    epochs.move(11);
    committees.moved();
    committees.expire(1_000);
    expect(committees.of(epoch(1))).toBeUndefined();
  });

  it('forget an epoch once no block can reference its chunks, and those who left with it', () => {
    const { committees, move } = opened();
    move(1_000);
    expect(committees.isOver(epoch(0), { epoch: epoch(1), timestampMs: 60_999 })).toBe(false);
    expect(committees.isOver(epoch(0), { epoch: epoch(1), timestampMs: 61_000 })).toBe(true);
    committees.expire(60_999);
    expect(committees.validatorOf(peerKey(0))).toBeDefined();
    committees.expire(61_000);
    expect(committees.of(epoch(0))).toBeUndefined();
    expect(committees.validatorOf(peerKey(0))).toBeUndefined();
    expect(committees.validatorOf(peerKey(1))).toBeDefined();
    expect(committees.current.epoch).toBe(1);
  });
});
