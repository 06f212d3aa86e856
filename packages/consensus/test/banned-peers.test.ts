import type { PeerKey } from '@slipstream/ports';
import { createCommittee } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createBannedPeers } from '../src/banned-peers.ts';
import { certificateOf, createCoreWorld, nullify, peerOf, voteOf } from './core-world.ts';

function newBannedPeers() {
  const calls: string[] = [];
  const banned = createBannedPeers(
    { block: (peer) => void calls.push(`block ${peer}`), unblock: (peer) => void calls.push(`unblock ${peer}`) },
    (peer) => void calls.push(`reported ${peer}`),
  );
  const block = (peer: PeerKey) => banned.block({ peer, reason: 'malformed-frame', detail: '' });
  return { banned, calls, block };
}

describe('a peer that is banned', () => {
  it('is blocked and reported once, however often it offends', () => {
    const { banned, calls, block } = newBannedPeers();
    for (let offence = 0; offence < 1_000; offence++) block(peerOf(7));
    expect(banned.has(peerOf(7))).toBe(true);
    expect(calls).toEqual([`block ${peerOf(7)}`, `reported ${peerOf(7)}`]);
  });

  it('is banned again after an operator unblocked it', () => {
    const { banned, calls, block } = newBannedPeers();
    block(peerOf(7));
    banned.lift(peerOf(7));
    expect(banned.has(peerOf(7))).toBe(false);
    block(peerOf(7));
    expect(calls.filter((call) => call.startsWith('reported'))).toHaveLength(2);
  });

  it('is one of a bounded number: above the maximum the oldest is forgotten', () => {
    const { banned, block } = newBannedPeers();
    for (let key = 0; key < 5_000; key++) block(peerOf(key));
    expect(banned.has(peerOf(0))).toBe(false);
    expect(banned.has(peerOf(4_999))).toBe(true);
  });

  it('is one of a bounded number also where its ban goes over to a new network key', () => {
    const { banned, block } = newBannedPeers();
    for (let key = 0; key < 4_096; key++) block(peerOf(key));
    banned.moved(createCommittee([{ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: peerOf(9_999) }]), [0]);
    expect([banned.has(peerOf(0)), banned.has(peerOf(9_999))]).toEqual([false, true]);
  });
});

it('certificates of peers outside the committee are not checked: new keys could fill the lane of the votes', () => {
  const world = createCoreWorld();
  const certificates = Array.from({ length: 60 }, (_, at) => certificateOf(nullify(at + 1), [0, 1, 2], false));
  for (let nonMember = 9; nonMember < 40; nonMember++) world.give(0, nonMember, { certificates });
  expect(world.effects(0, 'verify')).toEqual([]);
  world.give(0, 1, { certificates: certificates.slice(0, 1) });
  expect(world.effects(0, 'verify')).toHaveLength(1);
});

it('a peer outside the committee that sends sixty votes in one frame is blocked once', () => {
  const world = createCoreWorld();
  const nonMember = 9;
  const votes = Array.from({ length: 60 }, (_, at) => voteOf(nullify(at + 1), 1));
  world.give(0, nonMember, { votes });
  expect(world.effects(0, 'block-peer')).toMatchObject([{ peer: peerOf(nonMember), reason: 'wrong-signer' }]);
});

it('a certificate with unknown signers blocks the member that sent it, also when it is no longer needed', () => {
  const world = createCoreWorld();
  world.give(0, 1, { certificates: [certificateOf(nullify(0), [0, 1, 2], false)] });
  expect(world.effects(0, 'block-peer')).toEqual([]);
  world.give(0, 1, { certificates: [certificateOf(nullify(0), [0, 1, 2, 1_000], false)] });
  expect(world.effects(0, 'verify')).toEqual([]);
  expect(world.effects(0, 'block-peer')).toMatchObject([{ peer: peerOf(1), reason: 'invalid-certificate' }]);
});
