import type { PeerEvent, PeerKey } from '@slipstream/ports';
import { createCommittee, encodeFrame, FRAMES, type FrameName, GENESIS_EPOCH } from '@slipstream/types';
import { expect, test } from 'vitest';
import { routeFrames } from '../src/assembly/frame-router.ts';

const MEMBER = '1'.repeat(64) as PeerKey;
const NON_MEMBER = 'f'.repeat(64) as PeerKey;
const committee = createCommittee([{ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: MEMBER }]);
const HEARTBEAT = encodeFrame('heartbeat', {
  epoch: GENESIS_EPOCH,
  view: 1,
  finalizedHeight: 0,
  committedHeight: 0,
  refusedView: 0,
});
const ANSWER = { requestId: 7, blocks: [], certificates: [], chunks: [], more: false };
const REQUEST = { requestId: 7, query: 'chunk', id: new Uint8Array(32), from: 0, to: 0 } as const;

/** Calls that frames led to, as words. */
function routed() {
  const calls: string[] = [];
  const banned = new Set<PeerKey>();
  let deliver: (from: PeerKey, frame: Uint8Array) => void = () => {};
  let emitPeerEvent: (event: PeerEvent) => void = () => {};
  routeFrames({
    transport: {
      onFrame: (handler) => {
        deliver = (from, frame) => handler(from, 'consensus', frame);
      },
      onPeer: (handler) => {
        emitPeerEvent = handler;
      },
    },
    consensus: {
      acceptsFrom: (peer) => !banned.has(peer),
      isMember: (peer) => committee.members.some(({ peerKey }) => peerKey === peer),
      onFrame: (_from, { name }) => void calls.push(`consensus: ${name}`),
      onPeer: ({ type }) => void calls.push(`consensus: peer ${type}`),
      offence: (_peer, reason) => void calls.push(`consensus: offence ${reason}`),
    },
    sync: {
      onAlive() {},
      onFrame: (_from, { name }) => void calls.push(`sync: ${name}`),
      onResponse: () => void calls.push('sync: response'),
      onHeartbeat: () => void calls.push('sync: heartbeat'),
      onPeer: ({ type }) => void calls.push(`sync: peer ${type}`),
    },
    onDisseminationFrame: (_from, name) => void calls.push(`dissemination: ${name}`),
  });
  const take = () => calls.splice(0);
  return {
    calls,
    banned,
    take,
    deliver: (from: PeerKey, frame: Uint8Array) => deliver(from, frame),
    emitPeerEvent: (event: PeerEvent) => emitPeerEvent(event),
  };
}

const undecodable = (name: FrameName) => new Uint8Array([FRAMES[name].kind, 1, 2, 3]);

test('each kind goes to its package, a heartbeat to two', () => {
  const { deliver, take } = routed();
  deliver(MEMBER, encodeFrame('consensus', { votes: [], certificates: [], confirmations: [] }));
  deliver(MEMBER, encodeFrame('historyQuery', { epoch: GENESIS_EPOCH, nonce: 1 }));
  expect(take()).toEqual(['consensus: consensus', 'consensus: historyQuery']);
  deliver(MEMBER, HEARTBEAT);
  expect(take()).toEqual(['sync: heartbeat', 'consensus: heartbeat']);
  deliver(NON_MEMBER, HEARTBEAT);
  expect(take()).toEqual(['sync: heartbeat', 'consensus: heartbeat']);
  deliver(NON_MEMBER, encodeFrame('syncRequest', REQUEST));
  deliver(NON_MEMBER, encodeFrame('subscribe', { certificates: true, members: [] }));
  deliver(NON_MEMBER, encodeFrame('syncResponse', ANSWER));
  expect(take()).toEqual(['sync: syncRequest', 'sync: subscribe', 'sync: response']);
});

test('dissemination gets its frames undecoded', () => {
  const { deliver, take } = routed();
  for (const name of ['chunk', 'chunkAck', 'chunkCertified', 'transactions', 'batchOffer', 'batchAnswer'] as const)
    deliver(NON_MEMBER, undecodable(name));
  expect(take()).toEqual([
    'dissemination: chunk',
    'dissemination: chunkAck',
    'dissemination: chunkCertified',
    'dissemination: transactions',
    'dissemination: batchOffer',
    'dissemination: batchAnswer',
  ]);
});

test('consensus frames for members alone are dropped undecoded when they come from any other peer', () => {
  const { deliver, take } = routed();
  const names = ['consensus', 'proposal', 'historyQuery', 'historyAnswer'] as const;
  for (const name of names) deliver(NON_MEMBER, undecodable(name));
  expect(take()).toEqual([]);
  for (const name of names) deliver(MEMBER, undecodable(name));
  expect(take()).toEqual(names.map(() => 'consensus: offence malformed-frame'));
});

test('a frame of unknown kind is an offence', () => {
  const { deliver, take } = routed();
  deliver(NON_MEMBER, new Uint8Array([250]));
  deliver(NON_MEMBER, new Uint8Array(0));
  expect(take()).toEqual(['consensus: offence malformed-frame', 'consensus: offence malformed-frame']);
});

test('frames of a banned peer are ignored', () => {
  const { deliver, banned, take } = routed();
  banned.add(MEMBER);
  deliver(MEMBER, HEARTBEAT);
  deliver(MEMBER, undecodable('chunk'));
  deliver(MEMBER, new Uint8Array([250]));
  expect(take()).toEqual([]);
});

test('consensus is informed of connections before sync', () => {
  const { emitPeerEvent, take } = routed();
  emitPeerEvent({ type: 'connected', peer: MEMBER });
  expect(take()).toEqual(['consensus: peer connected', 'sync: peer connected']);
});
