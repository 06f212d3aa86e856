import type { Transport } from '@slipstream/ports';
import { fromHex, type PeerKey } from '@slipstream/primitives';
import { type Epoch, type EpochRecord, recordOfGenesis } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { testChain } from '../../../../packages/execution/test/session-world.ts';
import { dialledPeers } from '../../src/epochs/dialled-peers.ts';
import { createNodeEpochs } from '../../src/epochs/node-epochs.ts';
import { withRenamedPeers } from '../../src/epochs/renamed-peers.ts';
import { watchRotation } from '../../src/epochs/watch-rotation.ts';

const chain = testChain('node-epochs');
const first = recordOfGenesis(chain.genesis);
const keyOf = (byte: number) => byte.toString(16).padStart(2, '0').repeat(32) as PeerKey;
const NEW_KEY = keyOf(0xaa);
const JOINER = keyOf(0xbb);
const members = first.members;
const peerOf = (index: number) => members[index]?.peerKey as PeerKey;

/** Member 0 changes its network key, member 1 leaves, another joins. */
const second: EpochRecord = {
  ...first,
  epoch: 1 as Epoch,
  members: [
    { ...(members[0] as EpochRecord['members'][number]), peerKey: NEW_KEY, previousPeerKey: peerOf(0) },
    ...members.slice(2),
    {
      ...(members[1] as EpochRecord['members'][number]),
      peerKey: JOINER,
      blsPublicKey: new Uint8Array(48).fill(7),
      address: 'joiner:1',
    },
  ],
};
const none = { blsKeys: [], networkKeys: [] };

describe('the epochs of a node', () => {
  it('admit present members, those of the epoch before, and sealed ones', () => {
    const epochs = createNodeEpochs(none, [first], 0 as Epoch);
    expect([peerOf(0), peerOf(1), NEW_KEY, JOINER].map(epochs.isAdmitted)).toEqual([true, true, false, false]);
    epochs.sealed(second);
    expect([peerOf(0), peerOf(1), NEW_KEY, JOINER].map(epochs.isAdmitted)).toEqual([true, true, true, true]);
    expect([peerOf(0), NEW_KEY, JOINER].map(epochs.isMember)).toEqual([true, false, false]);
    expect(epochs.canonical(peerOf(0))).toBe(peerOf(0));
    epochs.moved(1 as Epoch);
    expect([peerOf(0), peerOf(1), NEW_KEY, JOINER].map(epochs.isMember)).toEqual([true, false, true, true]);
    expect(epochs.isAdmitted(peerOf(1))).toBe(true);
    expect(epochs.canonical(peerOf(0))).toBe(NEW_KEY);
    epochs.leaversGone();
    expect(epochs.isAdmitted(peerOf(1))).toBe(false);
    expect(epochs.isAdmitted(peerOf(0))).toBe(true);
  });

  it('know the records of epochs whose chunks count, and the one before the oldest', () => {
    const recordAt = (epoch: number): EpochRecord => ({ ...first, epoch: epoch as Epoch });
    const knownOf = (epochs: ReturnType<typeof createNodeEpochs>) =>
      Array.from({ length: 14 }, (_, epoch) => epoch).filter((epoch) => epochs.of(epoch as Epoch) !== undefined);
    const grown = createNodeEpochs(none, [first], 0 as Epoch);
    for (let epoch = 1; epoch <= 12; epoch++) {
      grown.sealed(recordAt(epoch));
      grown.moved(epoch as Epoch);
    }
    grown.sealed(recordAt(13));
    const restarted = createNodeEpochs(none, [recordAt(12), recordAt(13)], 12 as Epoch);
    expect(restarted.oldest).toBe(3);
    for (let epoch = 11; epoch >= restarted.oldest; epoch--) restarted.addEarlier(recordAt(epoch));
    for (const epochs of [grown, restarted]) expect(knownOf(epochs)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  });

  it('know this node where its BLS key is bound to its network key', () => {
    const blsKeys = [{ secret: new Uint8Array(32), publicKey: members[0]?.blsPublicKey as Uint8Array }];
    const own = (...peers: PeerKey[]) => ({
      blsKeys,
      networkKeys: peers.map((peer) => ({ seed: fromHex(peer), peer })),
    });
    const selfOf = (...peers: PeerKey[]) => {
      const epochs = createNodeEpochs(own(...peers), [first, second], 0 as Epoch);
      return [epochs.self(0 as Epoch), epochs.self(1 as Epoch), epochs.self(2 as Epoch)];
    };
    expect(selfOf(peerOf(0), NEW_KEY)).toEqual([0, 0, undefined]);
    expect(selfOf(peerOf(0))).toEqual([0, undefined, undefined]);
    expect(selfOf(NEW_KEY)).toEqual([undefined, 0, undefined]);
    expect(selfOf(JOINER)).toEqual([undefined, undefined, undefined]);
  });

  it('know this node by keys that are exchanged later, and read its members once for the same keys', () => {
    const blsKeys = [{ secret: new Uint8Array(32), publicKey: members[0]?.blsPublicKey as Uint8Array }];
    const keyed = (peer: PeerKey) => [{ seed: fromHex(peer), peer }];
    const held = { blsKeys, networkKeys: keyed(peerOf(0)) };
    let reads = 0;
    const counted = {
      ...second,
      get members() {
        reads++;
        return second.members;
      },
    };
    const epochs = createNodeEpochs(held, [first, counted], 0 as Epoch);
    const before = reads;
    expect([epochs.self(1 as Epoch), epochs.self(1 as Epoch)]).toEqual([undefined, undefined]);
    held.networkKeys = [...keyed(peerOf(0)), ...keyed(NEW_KEY)];
    expect([epochs.self(1 as Epoch), epochs.self(1 as Epoch)]).toEqual([0, 0]);
    expect(reads - before).toBe(2);
  });

  it('take the next record alone, and once', () => {
    const epochs = createNodeEpochs(none, [first], 0 as Epoch);
    const changes: string[] = [];
    epochs.onChanged((change) => void changes.push(change));
    epochs.sealed({ ...second, epoch: 2 as Epoch });
    expect(epochs.next()).toBeUndefined();
    epochs.sealed(second);
    epochs.sealed(second);
    epochs.moved(1 as Epoch);
    epochs.moved(0 as Epoch);
    expect(changes).toEqual(['sealed', 'moved']);
    expect(epochs.of(0 as Epoch)).toBe(first);
  });
});

describe('dialled peers', () => {
  const configured = [{ peer: peerOf(1), address: 'inside:1' }];
  const of = (records: readonly EpochRecord[], isValidator: boolean) =>
    dialledPeers({ configured, genesis: chain.genesis, records, self: keyOf(1), isValidator });

  it('are the configured ones while the members are those of genesis', () => {
    expect(of([first], true)).toEqual(configured);
    expect(of([first], false)).toEqual(configured);
  });

  it('are by their records the members that genesis does not have so', () => {
    const dialled = of([first, second], true);
    expect(dialled).toContainEqual({ peer: JOINER, address: 'joiner:1' });
    expect(dialled).toContainEqual({ peer: NEW_KEY, address: members[0]?.address });
    expect(dialled).toHaveLength(3);
  });

  it('follow a member whose address changed, whatever the configuration says', () => {
    const moved = {
      ...first,
      members: members.map((member, i) => (i === 1 ? { ...member, address: 'moved:9' } : member)),
    };
    expect(of([moved], true)).toEqual([{ peer: peerOf(1), address: 'moved:9' }]);
    expect(of([moved], false)).toEqual([{ peer: peerOf(1), address: 'moved:9' }]);
  });

  it('follow a configured peer to its next key, on a full node too', () => {
    const self = keyOf(1);
    const listed = members.map(({ peerKey, address }) => ({ peer: peerKey, address }));
    const dialled = dialledPeers({
      configured: listed,
      genesis: chain.genesis,
      records: [{ ...second, members: [second.members[0] as EpochRecord['members'][number], ...members.slice(1)] }],
      self,
      isValidator: false,
    });
    expect(dialled).toContainEqual({ peer: NEW_KEY, address: members[0]?.address });
  });

  it('are few on a full node', () => {
    const many = {
      ...first,
      members: Array.from({ length: 40 }, (_, i) => ({
        ...(members[0] as EpochRecord['members'][number]),
        peerKey: keyOf(i + 1),
        address: `m:${i}`,
      })),
    };
    expect(of([many], false)).toHaveLength(5);
  });
});

describe('a member that changes its network key', () => {
  it('is one peer, under the key that the record names', () => {
    const epochs = createNodeEpochs(none, [first, second], 1 as Epoch);
    const sent: PeerKey[] = [];
    let connected: PeerKey[] = [peerOf(0)];
    let deliver: (from: PeerKey) => void = () => {};
    const transport = withRenamedPeers<Transport>(
      {
        self: keyOf(1),
        send: (peer: PeerKey) => sent.push(peer) > 0,
        broadcast() {},
        peers: () => [peerOf(0), NEW_KEY].map((peer) => ({ peer, connected: connected.includes(peer) })) as never,
        onFrame: (handler: (from: PeerKey, lane: 'chunk', frame: Uint8Array) => void) => {
          deliver = (from) => handler(from, 'chunk', new Uint8Array(1));
        },
        onPeer() {},
        block: (peer: PeerKey) => void sent.push(peer),
        unblock() {},
        start: async () => {},
        stop: async () => {},
      },
      epochs,
    );
    const from: PeerKey[] = [];
    transport.onFrame((peer) => from.push(peer));
    for (const peer of [peerOf(0), NEW_KEY, peerOf(2)]) deliver(peer);
    expect(from).toEqual([NEW_KEY, NEW_KEY, peerOf(2)]);
    transport.send(NEW_KEY, 'chunk', new Uint8Array(1));
    connected = [peerOf(0), NEW_KEY];
    transport.send(NEW_KEY, 'chunk', new Uint8Array(1));
    expect(sent).toEqual([peerOf(0), NEW_KEY]);
    expect(transport.peers().map(({ peer }) => peer)).toEqual([NEW_KEY]);
    transport.block(NEW_KEY);
    expect(sent.slice(2)).toEqual([NEW_KEY, peerOf(0)]);
  });
});

describe('a node whose network key changes', () => {
  const blsKeys = [{ secret: new Uint8Array(32), publicKey: members[0]?.blsPublicKey as Uint8Array }];
  const networkKeys = [peerOf(0), NEW_KEY].map((peer) => ({ seed: fromHex(peer), peer }));

  function watched(peer: PeerKey, epoch: number) {
    const epochs = createNodeEpochs({ blsKeys, networkKeys }, [first, second], epoch as Epoch);
    let due: (() => void) | undefined;
    let changes = 0;
    const clock = {
      after(_ms: number, action: () => void) {
        due = action;
        return () => {
          due = undefined;
        };
      },
    };
    const watch = watchRotation(epochs, { blsKeys, networkKeys }, peer, { clock }, () => {
      changes += 1;
    });
    return { epochs, watch, due: () => due, changes: () => changes };
  }

  it('takes the new one once its epoch has begun, and not before', () => {
    const { epochs, due, changes } = watched(peerOf(0), 0);
    expect(due()).toBeUndefined();
    epochs.moved(1 as Epoch);
    due()?.();
    expect(changes()).toBe(1);
  });

  it('takes the new one after a start in that epoch; with the new one it stays', () => {
    expect(watched(peerOf(0), 1).due()).toBeDefined();
    expect(watched(NEW_KEY, 1).due()).toBeUndefined();
    const { watch, due } = watched(peerOf(0), 1);
    watch.stop();
    expect(due()).toBeUndefined();
  });
});
