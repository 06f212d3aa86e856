import type { PeerKey } from '@slipstream/ports';
import { type EpochRecord, epoch, recordOfGenesis } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createCommittees } from '../../src/epochs/committees.ts';
import { genesisOf, memberOf, peerKey } from '../harness/network.ts';
import { createNodeEpochs } from '../harness/node-epochs.ts';

const genesis = genesisOf(3);
const ROTATED = peerKey(90);

function recordOf(at: number, numbers: readonly number[], rotated?: number): EpochRecord {
  const record = recordOfGenesis({ ...genesis, members: numbers.map(memberOf) });
  const members = record.members.map((member, i) =>
    numbers[i] === rotated ? { ...member, peerKey: ROTATED, previousPeerKey: member.peerKey } : member,
  );
  return { ...record, epoch: epoch(at), members };
}

/** Node 1 rotates its key, node 0 leaves, node 3 joins. */
function opened() {
  const records = [recordOf(0, [0, 1, 2]), recordOf(1, [1, 2, 3], 1)];
  const epochs = createNodeEpochs(records, peerKey(2));
  const committees = createCommittees(epochs);
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

  it('forget an epoch once no block can reference its chunks, and those who left with it', () => {
    const { committees, move } = opened();
    move(1_000);
    expect(committees.isOver(epoch(0), 60_999)).toBe(false);
    expect(committees.isOver(epoch(0), 61_000)).toBe(true);
    committees.expire(60_999);
    expect(committees.validatorOf(peerKey(0))).toBeDefined();
    committees.expire(61_000);
    expect(committees.of(epoch(0))).toBeUndefined();
    expect(committees.validatorOf(peerKey(0))).toBeUndefined();
    expect(committees.validatorOf(peerKey(1))).toBeDefined();
    expect(committees.current.epoch).toBe(1);
  });
});
