import type { PeerKey } from '@slipstream/ports';
import { describe, expect, it } from 'vitest';
import { createShutOut } from '../src/shut-out.ts';
import { certificateOf, createCoreWorld, nullify, peerOf, voteOf } from './core-world.ts';

function newShutOut() {
  const calls: string[] = [];
  const shutOut = createShutOut(
    { block: (peer) => void calls.push(`block ${peer}`), unblock: (peer) => void calls.push(`unblock ${peer}`) },
    (peer) => void calls.push(`told ${peer}`),
  );
  const block = (peer: PeerKey) => shutOut.block({ peer, reason: 'malformed-frame', detail: '' });
  return { shutOut, calls, block };
}

describe('a peer that is shut out', () => {
  it('is blocked and told of once, however often it offends', () => {
    const { shutOut, calls, block } = newShutOut();
    for (let offence = 0; offence < 1_000; offence++) block(peerOf(7));
    expect(shutOut.has(peerOf(7))).toBe(true);
    expect(calls).toEqual([`block ${peerOf(7)}`, `told ${peerOf(7)}`]);
  });

  it('is blocked anew after an operator let it in again', () => {
    const { shutOut, calls, block } = newShutOut();
    block(peerOf(7));
    shutOut.lift(peerOf(7));
    expect(shutOut.has(peerOf(7))).toBe(false);
    block(peerOf(7));
    expect(calls.filter((call) => call.startsWith('told'))).toHaveLength(2);
  });

  it('is one of a bounded number: with ever new keys the oldest is forgotten', () => {
    const { shutOut, block } = newShutOut();
    for (let key = 0; key < 5_000; key++) block(peerOf(key));
    expect(shutOut.has(peerOf(0))).toBe(false);
    expect(shutOut.has(peerOf(4_999))).toBe(true);
  });
});

it('certificates of strangers cost no check: ever new keys would fill the lane of the votes', () => {
  const world = createCoreWorld();
  const certificates = Array.from({ length: 60 }, (_, at) => certificateOf(nullify(at + 1), [0, 1, 2], false));
  for (let stranger = 9; stranger < 40; stranger++) world.give(0, stranger, { certificates });
  expect(world.effects(0, 'verify')).toEqual([]);
  world.give(0, 1, { certificates: certificates.slice(0, 1) });
  expect(world.effects(0, 'verify')).toHaveLength(1);
});

it('a frame of a stranger with sixty votes is one reason to block it, not sixty', () => {
  const world = createCoreWorld();
  const stranger = 9;
  const votes = Array.from({ length: 60 }, (_, at) => voteOf(nullify(at + 1), 1));
  world.give(0, stranger, { votes });
  expect(world.effects(0, 'block-peer')).toMatchObject([{ peer: peerOf(stranger), reason: 'wrong-signer' }]);
});

it('a certificate of members that there are not is the end of a member, also where nobody needs it any more', () => {
  const world = createCoreWorld();
  world.give(0, 1, { certificates: [certificateOf(nullify(0), [0, 1, 2], false)] });
  expect(world.effects(0, 'block-peer')).toEqual([]);
  world.give(0, 1, { certificates: [certificateOf(nullify(0), [0, 1, 2, 1_000], false)] });
  expect(world.effects(0, 'verify')).toEqual([]);
  expect(world.effects(0, 'block-peer')).toMatchObject([{ peer: peerOf(1), reason: 'invalid-certificate' }]);
});
