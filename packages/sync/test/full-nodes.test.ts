import type { Transport } from '@slipstream/ports';
import { silentTelemetry } from '@slipstream/ports';
import { type Certificate, createCommittee, type Subscribe } from '@slipstream/types';
import { describe, expect, test } from 'vitest';
import { certificateOf, nullify } from '../../consensus/test/core-world.ts';
import { createRelay } from '../src/full-nodes/relay.ts';
import { spareSlowFollowers } from '../src/full-nodes/slow-followers.ts';
import { createUpstream } from '../src/full-nodes/upstream.ts';

import {
  committee,
  committeeOfPeers,
  FOLLOWER,
  heartbeat,
  member,
  NOTHING,
  peerOf,
  subscriptions,
  world,
} from './full-nodes-world.ts';

describe('a node that follows', () => {
  function follower(members: readonly number[]) {
    const here = world();
    for (const index of members) here.connected.add(peerOf(index));
    const height = { final: 0 };
    const upstream = createUpstream(
      { ...here, telemetry: silentTelemetry, tip: { finalizedHeight: () => height.final } },
      committee,
    );
    upstream.start();
    return { ...here, upstream, height };
  }

  test('subscribes at one validator to certificates and to chunks of members it is not connected to', () => {
    const { sent } = follower([1, 2]);
    expect([...subscriptions(sent)]).toEqual([[peerOf(1), { certificates: true, members: [0, 3] }]]);
  });

  test('that is connected to a quorum subscribes to no certificates, and to nothing with all members', () => {
    expect(subscriptions(follower([0, 1, 2]).sent).get(peerOf(0))).toEqual({ certificates: false, members: [3] });
    expect(subscriptions(follower([0, 1, 2, 3]).sent).get(peerOf(0))).toEqual(NOTHING);
  });

  test('changes its upstream at once when the connection is lost, within four seconds when unresponsive', () => {
    const { sent, connected, upstream, turn } = follower([1, 2, 3]);
    connected.delete(peerOf(1));
    upstream.changed();
    expect(subscriptions(sent).get(peerOf(2))?.certificates).toBe(true);
    for (let second = 0; second < 4; second++) {
      upstream.onMessage(peerOf(3));
      turn(1000);
    }
    expect(subscriptions(sent).get(peerOf(2))).toEqual(NOTHING);
    expect(subscriptions(sent).get(peerOf(3))?.certificates).toBe(true);
  });

  test('leaves an upstream that falls behind while others are ahead', () => {
    const { sent, upstream, turn } = follower([1, 2]);
    for (let second = 0; second < 5; second++) {
      upstream.heartbeat(peerOf(1), heartbeat(0));
      upstream.onMessage(peerOf(1));
      upstream.heartbeat(peerOf(2), heartbeat(100 + second));
      upstream.onMessage(peerOf(2));
      turn(1000);
    }
    expect(subscriptions(sent).get(peerOf(2))?.certificates).toBe(true);
  });

  test('does not choose its upstream by a reported height beyond those of all others', () => {
    const { sent, connected, upstream } = follower([1, 2, 3, 0]);
    for (const member of [0, 1, 2]) upstream.heartbeat(peerOf(member), heartbeat(100));
    upstream.heartbeat(peerOf(3), heartbeat(2 ** 50));
    sent.splice(0);
    connected.delete(peerOf(1));
    upstream.changed();
    expect([...subscriptions(sent)].filter(([, { members }]) => members.length > 0)).toEqual([
      [peerOf(2), { certificates: false, members: [1] }],
    ]);
  });

  test('stays with its upstream over a move of the committee, and names the members it misses at once', () => {
    const { sent, upstream } = follower([1, 2]);
    sent.splice(0);
    upstream.moved(committeeOfPeers([3, 1, 2, 0]));
    expect([...subscriptions(sent)]).toEqual([[peerOf(1), { certificates: true, members: [0, 3] }]]);
    sent.splice(0);
    upstream.moved(committeeOfPeers([1, 2, 3, 0]));
    expect([...subscriptions(sent)]).toEqual([[peerOf(1), { certificates: true, members: [2, 3] }]]);
  });

  test('unsubscribes from an upstream that leaves the committee', () => {
    const { sent, upstream } = follower([1, 2]);
    sent.splice(0);
    upstream.moved(committeeOfPeers([2, 3, 0]));
    expect([...subscriptions(sent)]).toEqual([
      [peerOf(1), NOTHING],
      [peerOf(2), { certificates: true, members: [1, 2] }],
    ]);
  });

  test('repeats its subscription: an upstream that was restarted unnoticed has lost it', () => {
    const { sent, upstream, turn, height } = follower([1, 2]);
    const wanted = subscriptions(sent).get(peerOf(1));
    sent.splice(0);
    // Ranges fetched by others' heights keep it near: nothing else would show the fault.
    for (let second = 0; second < 20; second++) {
      for (const member of [1, 2]) {
        upstream.heartbeat(peerOf(member), heartbeat(100 + 4 * second));
        upstream.onMessage(peerOf(member));
      }
      height.final = 97 + 4 * second;
      turn(1000);
    }
    expect([...subscriptions(sent)]).toEqual([[peerOf(1), wanted]]);
  });

  /** One block a second; `ranges`: each fourth second four are fetched, as the upstream sends none. */
  function follow(ranges: boolean, seconds: number) {
    const { sent, upstream, turn, height } = follower([1, 2]);
    for (let second = 0; second < seconds; second++) {
      for (const member of [1, 2]) {
        upstream.heartbeat(peerOf(member), heartbeat(100 + second));
        upstream.onMessage(peerOf(member));
      }
      if (!ranges) height.final = 100 + second;
      else if (second % 4 === 0) {
        height.final = 100 + second;
        upstream.fetchedRange();
      }
      turn(1000);
    }
    return subscriptions(sent);
  }

  test('leaves an upstream that forwards nothing while others serve it enough to stay near the tip', () => {
    expect(follow(true, 30).get(peerOf(2))?.certificates).toBe(true);
  });

  test('stays with one that forwards everything, also when it was far behind before', () => {
    expect(follow(false, 60).get(peerOf(2))).toBeUndefined();
    const { sent, upstream, turn, height } = follower([1, 2]);
    for (let second = 0; second < 120; second++) {
      for (const member of [1, 2]) {
        upstream.heartbeat(peerOf(member), heartbeat(1_000 + second));
        upstream.onMessage(peerOf(member));
      }
      const isNear = height.final + 8 >= 1_000 + second;
      height.final = Math.min(1_000 + second, height.final + 32);
      if (!isNear) upstream.fetchedRange();
      turn(1000);
    }
    expect(subscriptions(sent).get(peerOf(2))).toBeUndefined();
  });

  test('leaves an upstream that reports heights and forwards nothing', () => {
    const { sent, upstream, turn } = follower([1, 2]);
    for (let second = 0; second < 10; second++) {
      for (const member of [1, 2]) {
        upstream.heartbeat(peerOf(member), heartbeat(100 + second));
        upstream.onMessage(peerOf(member));
      }
      turn(1000);
    }
    expect(subscriptions(sent).get(peerOf(2))?.certificates).toBe(true);
  });
});

describe('a validator that is followed', () => {
  const chunk = new Uint8Array([6, 1, 2, 3]);

  function followed(wanted: Subscribe, current: readonly Certificate[] = []) {
    const here = world();
    here.connected.add(FOLLOWER);
    const transport = spareSlowFollowers(
      { ...here, transport: here.transport as unknown as Transport, telemetry: silentTelemetry },
      committee,
    );
    const relay = createRelay(
      { ...here, transport, telemetry: silentTelemetry, tip: { newestCertificates: () => current } },
      committee,
    );
    relay.subscribe(FOLLOWER, wanted);
    return { ...here, transport, relay };
  }

  test('after a move of the committee forwards certificates, and no chunks until it is asked again', () => {
    const certificate = certificateOf(nullify(1), [1, 2, 3]);
    const { relay, sent } = followed({ certificates: true, members: [2] });
    relay.moved(committeeOfPeers([0, 1, 2, 4]));
    relay.chunk(2, chunk);
    expect(sent).toEqual([]);
    relay.certificate(certificate);
    expect(sent.map(({ to, lane }) => [to, lane])).toEqual([[FOLLOWER, 'consensus']]);
    relay.subscribe(FOLLOWER, { certificates: true, members: [2] });
    relay.chunk(2, chunk);
    expect(sent.map(({ lane }) => lane)).toEqual(['consensus', 'chunk']);
  });

  test('forwards nothing to a follower that became a member', () => {
    const { relay, sent } = followed({ certificates: true, members: [2] });
    relay.moved(createCommittee([...committee.members, { ...member(4), peerKey: FOLLOWER }]));
    relay.certificate(certificateOf(nullify(1), [1, 2, 3]));
    relay.subscribe(FOLLOWER, { certificates: true, members: [2] });
    expect(sent).toEqual([]);
  });

  test('forwards the chunks of the subscribed members, and of no others', () => {
    const { relay, sent } = followed({ certificates: false, members: [2] });
    relay.chunk(1, chunk);
    expect(sent).toEqual([]);
    relay.chunk(2, chunk);
    expect(sent).toEqual([{ to: FOLLOWER, lane: 'chunk', frame: chunk }]);
  });

  test('sends a follower the tip when it subscribes to certificates, not on each repetition', () => {
    const everything: Subscribe = { certificates: true, members: [2] };
    const { relay, sent, turn } = followed(everything, [certificateOf(nullify(1), [1, 2, 3])]);
    expect(sent.length).toBe(1);
    for (let asks = 0; asks < 1000; asks++) relay.subscribe(FOLLOWER, everything);
    for (let asks = 0; asks < 1000; asks++) relay.subscribe(FOLLOWER, asks % 2 === 0 ? NOTHING : everything);
    expect(sent.length).toBe(1);
    turn(1000);
    relay.subscribe(FOLLOWER, everything);
    expect(sent.length).toBe(1);
    relay.subscribe(FOLLOWER, NOTHING);
    relay.subscribe(FOLLOWER, everything);
    expect(sent.length).toBe(2);
  });

  test('sends a reconnected follower the tip at once', () => {
    const everything: Subscribe = { certificates: true, members: [] };
    const { relay, sent } = followed(everything, [certificateOf(nullify(1), [1, 2, 3])]);
    relay.lost(FOLLOWER);
    relay.subscribe(FOLLOWER, everything);
    expect(sent.map(({ to }) => to)).toEqual([FOLLOWER, FOLLOWER]);
  });

  test('sends a slow follower no chunks until its queue is short again', () => {
    const { relay, sent, queuedBytes, turn } = followed({ certificates: true, members: [2] });
    queuedBytes.set(FOLLOWER, 3 * 1024 * 1024);
    relay.chunk(2, chunk);
    turn(200);
    queuedBytes.set(FOLLOWER, 1024 * 1024);
    relay.chunk(2, chunk);
    expect(sent).toEqual([]);
    turn(200);
    queuedBytes.set(FOLLOWER, 0);
    relay.chunk(2, chunk);
    expect(sent.length).toBe(1);
  });

  test('withholds own proposals and chunks from a slow follower, and never from a slow validator', () => {
    const { transport, sent, connected, queuedBytes, turn } = followed({ certificates: true, members: [] });
    const receivers = () => sent.splice(0).map(({ to }) => to);
    for (const peer of [peerOf(1), peerOf(2)]) connected.add(peer);
    for (const peer of [FOLLOWER, peerOf(1)]) queuedBytes.set(peer, 3 * 1024 * 1024);
    for (const lane of ['proposal', 'chunk'] as const) {
      transport.broadcast(lane, chunk);
      expect(receivers()).toEqual([peerOf(1), peerOf(2)]);
      transport.send(peerOf(1), lane, chunk);
      expect(receivers()).toEqual([peerOf(1)]);
    }
    for (const lane of ['consensus', 'sync'] as const) {
      transport.broadcast(lane, chunk);
      expect(receivers()).toEqual([FOLLOWER, peerOf(1), peerOf(2)]);
    }
    queuedBytes.set(FOLLOWER, 0);
    turn(200);
    transport.broadcast('chunk', chunk);
    expect(receivers()).toEqual([FOLLOWER, peerOf(1), peerOf(2)]);
  });

  test('spares no member of the next committee, and a member that left', () => {
    const { transport, sent, connected, queuedBytes } = followed({ certificates: true, members: [] });
    connected.add(peerOf(1));
    for (const peer of [FOLLOWER, peerOf(1)]) queuedBytes.set(peer, 3 * 1024 * 1024);
    transport.moved({ ...committee, members: committee.members.map((member) => ({ ...member, peerKey: FOLLOWER })) });
    transport.broadcast('chunk', chunk);
    expect(sent.splice(0).map(({ to }) => to)).toEqual([FOLLOWER]);
    transport.send(FOLLOWER, 'proposal', chunk);
    transport.send(peerOf(1), 'proposal', chunk);
    expect(sent.map(({ to }) => to)).toEqual([FOLLOWER]);
  });

  test('detects a slow follower by the sent bytes, however short the time', () => {
    const { transport, sent, queuedBytes } = followed({ certificates: true, members: [] });
    for (let frames = 0; frames < 100; frames++) {
      transport.broadcast('chunk', new Uint8Array(64 * 1024));
      queuedBytes.set(FOLLOWER, sent.length * 64 * 1024);
    }
    expect(sent.length * 64 * 1024).toBeGreaterThan(2 * 1024 * 1024);
    expect(sent.length * 64 * 1024).toBeLessThanOrEqual(2 * 1024 * 1024 + 2 * 128 * 1024);
  });

  test('drops a follower that disconnects or unsubscribes, and never treats a validator as a follower', () => {
    const { relay, sent } = followed({ certificates: true, members: [1, 2] });
    relay.lost(FOLLOWER);
    relay.chunk(2, chunk);
    relay.subscribe(FOLLOWER, { certificates: true, members: [2] });
    relay.subscribe(FOLLOWER, NOTHING);
    relay.subscribe(peerOf(3), { certificates: true, members: [2] });
    relay.chunk(2, chunk);
    expect(sent).toEqual([]);
  });
});
