import type { Lane } from '@slipstream/ports';
import { describe, expect, test } from 'vitest';
import { constantLatency, createLifetime, jitteredLatency, regionLatency, uniformLatency } from '../src/index.ts';
import { connectedPeers, frameOf, numberOf, peerKey } from './builders.ts';

const [A, B, C] = [0, 1, 2];

async function two(options: Parameters<typeof connectedPeers>[1] = {}) {
  const { simulation, network, peers } = await connectedPeers(3, options);
  const [a, b, c] = [peers[A], peers[B], peers[C]];
  if (a === undefined || b === undefined || c === undefined) throw new Error('three peers were asked for');
  return { simulation, network, a, b, c };
}

describe('frames', () => {
  test('arrive after the latency, with their sender', async () => {
    const { simulation, a, b } = await two({ latency: constantLatency(7) });
    const sentMs = simulation.nowMs;
    expect(a.transport.send(b.key, 'consensus', frameOf(1))).toBe(true);
    await simulation.run();
    expect(b.received).toEqual([{ from: a.key, lane: 'consensus', frame: frameOf(1), atMs: sentMs + 7 }]);
  });

  test('of one lane never overtake one another, whatever the jitter', async () => {
    const { simulation, a, b } = await two({ latency: uniformLatency(1, 100) });
    const lanes: readonly Lane[] = ['consensus', 'chunk'];
    for (let i = 0; i < 400; i++) {
      simulation.schedule(i, () => a.transport.send(b.key, lanes[i % 2] as Lane, frameOf(i)));
    }
    await simulation.run();
    expect(b.received).toHaveLength(400);
    for (const lane of lanes) {
      const values = b.received.filter((each) => each.lane === lane).map(({ frame }) => numberOf(frame));
      expect(values).toEqual([...values].sort((x, y) => x - y));
    }
    const all = b.received.map(({ frame }) => numberOf(frame));
    expect(all).not.toEqual([...all].sort((x, y) => x - y));
  });

  test('overtake with reordering enabled, and arrive twice with duplication enabled', async () => {
    const { simulation, a, b } = await two({ reorderRate: 0.2, reorderMs: 50, duplicateRate: 0.5 });
    for (let i = 0; i < 500; i++) simulation.schedule(i, () => a.transport.send(b.key, 'consensus', frameOf(i)));
    await simulation.run();
    const values = b.received.map(({ frame }) => numberOf(frame));
    expect(new Set(values).size).toBe(500);
    expect(values.length).toBeGreaterThan(600);
    expect(values).not.toEqual([...values].sort((x, y) => x - y));
  });

  test.each([0, 0.02, 0.5, 1])('are lost at the rate of %s', async (lossRate) => {
    const { simulation, a, b } = await two({ lossRate });
    for (let i = 0; i < 5_000; i++) a.transport.send(b.key, 'consensus', frameOf(i));
    await simulation.run();
    expect(Math.abs(b.received.length / 5_000 - (1 - lossRate))).toBeLessThan(0.03);
  });

  test('are seen by taps when they leave, lost or not', async () => {
    const { simulation, network, a, b } = await two({ lossRate: 1 });
    const seen: number[] = [];
    network.tap(({ from, to, frame }) => {
      expect([from, to]).toEqual([a.key, b.key]);
      seen.push(numberOf(frame));
    });
    a.transport.send(b.key, 'consensus', frameOf(5));
    await simulation.run();
    expect(seen).toEqual([5]);
    expect(b.received).toEqual([]);
  });

  test('wait for bandwidth, urgent lanes first, and full queues drop their oldest', async () => {
    const { simulation, a, b, c } = await two({
      bandwidthBytesPerMs: 1,
      queueBytesMax: 300,
      latency: constantLatency(1),
    });
    const startMs = simulation.nowMs;
    for (let i = 0; i < 5; i++) a.transport.send(b.key, 'chunk', new Uint8Array(100).fill(i));
    expect(a.transport.send(c.key, 'chunk', new Uint8Array(100))).toBe(true);
    a.transport.send(b.key, 'consensus', new Uint8Array(10).fill(9));
    expect(a.transport.peers().find(({ peer }) => peer === b.key)).toMatchObject({
      framesDropped: 1,
      queuedBytes: 310,
    });
    await simulation.run();
    expect(b.received.map(({ frame }) => frame[0])).toEqual([0, 9, 2, 3, 4]);
    expect(b.received.map(({ atMs }) => atMs - startMs)).toEqual([101, 111, 211, 311, 411]);
    expect(c.received).toHaveLength(1);
  });
});

describe('a slow reader', () => {
  test('leaves frames queued at the senders, urgent lanes first, and gets the rest when it is fast again', async () => {
    const { simulation, network, a, b, c } = await two({ latency: constantLatency(1) });
    network.slowReader(b.key, 1);
    const startMs = simulation.nowMs;
    for (let i = 0; i < 3; i++) a.transport.send(b.key, 'chunk', new Uint8Array(100).fill(i));
    a.transport.send(b.key, 'consensus', new Uint8Array(10).fill(9));
    c.transport.send(b.key, 'chunk', new Uint8Array(100).fill(7));
    a.transport.send(c.key, 'chunk', new Uint8Array(100));
    expect(a.transport.peers().find(({ peer }) => peer === b.key)?.queuedBytes).toBe(210);
    await simulation.run({ untilMs: startMs + 105 });
    expect(b.received.map(({ frame }) => frame[0])).toEqual([0, 7]);
    expect(c.received).toHaveLength(1);
    network.slowReader(b.key, undefined);
    await simulation.run();
    expect(b.received.map(({ frame }) => frame[0])).toEqual([0, 7, 9, 1, 2]);
  });
});

describe('connections', () => {
  test('are reported between every two started peers', async () => {
    const { a, b } = await two();
    expect(a.events.map(({ peer }) => peer)).toEqual([peerKey(1), peerKey(2)]);
    expect(b.transport.peers().map(({ connected }) => connected)).toEqual([true, true]);
  });

  test('survive a partition, which loses frames both ways until it is healed', async () => {
    const { simulation, network, a, b, c } = await two();
    network.partition([[a.key], [b.key, c.key]]);
    for (const peer of [a, b, c]) peer.transport.broadcast('consensus', frameOf(1));
    await simulation.run();
    expect([a, b, c].map(({ received }) => received.length)).toEqual([0, 1, 1]);
    expect(a.events).toHaveLength(2);
    network.healAll();
    a.transport.broadcast('consensus', frameOf(2));
    await simulation.run();
    expect([b, c].map(({ received }) => received.length)).toEqual([2, 2]);
  });

  test('survive a one-way partition, which loses frames one way', async () => {
    const { simulation, network, a, b } = await two();
    network.dropFrames(a.key, b.key);
    a.transport.send(b.key, 'consensus', frameOf(1));
    b.transport.send(a.key, 'consensus', frameOf(2));
    await simulation.run();
    expect([a, b].map(({ received }) => received.length)).toEqual([1, 0]);
  });

  test('that are cut are reported on both sides, lose frames in flight, and heal to new ones', async () => {
    const { simulation, network, a, b } = await two({ latency: constantLatency(10) });
    a.transport.send(b.key, 'consensus', frameOf(1));
    network.cut(a.key, b.key);
    expect(a.transport.send(b.key, 'consensus', frameOf(2))).toBe(false);
    await simulation.run();
    expect(b.received).toEqual([]);
    expect(a.events.at(-1)).toMatchObject({ type: 'lost', peer: b.key });
    expect(b.events.at(-1)).toMatchObject({ type: 'lost', peer: a.key });
    network.heal(a.key, b.key);
    await simulation.run();
    expect(a.events.at(-1)).toEqual({ type: 'connected', peer: b.key });
    expect(a.transport.send(b.key, 'consensus', frameOf(3))).toBe(true);
  });

  test('a blocked peer is cut off until it is unblocked', async () => {
    const { simulation, a, b } = await two();
    a.transport.block(b.key);
    await simulation.run();
    expect(b.transport.send(a.key, 'consensus', frameOf(1))).toBe(false);
    expect(a.transport.peers().find(({ peer }) => peer === b.key)).toMatchObject({ blocked: true, connected: false });
    a.transport.unblock(b.key);
    await simulation.run();
    expect(b.transport.send(a.key, 'consensus', frameOf(1))).toBe(true);
  });

  test('a killed process receives no frame, and its successor none that was sent to it', async () => {
    const { simulation, network, a } = await two({ latency: constantLatency(10) });
    const lifetime = createLifetime();
    const key = peerKey(7);
    const receivedNumbers: number[] = [];
    const start = (life: ReturnType<typeof createLifetime>) => {
      const transport = network.transport(key, { lifetime: life });
      transport.onFrame((_from, _lane, frame) => receivedNumbers.push(numberOf(frame)));
      void transport.start();
    };
    start(lifetime);
    await simulation.run();
    a.transport.send(key, 'consensus', frameOf(1));
    lifetime.end();
    start(createLifetime());
    await simulation.run();
    expect(receivedNumbers).toEqual([]);
    expect(a.events.slice(-2).map(({ type }) => type)).toEqual(['lost', 'connected']);
    a.transport.send(key, 'consensus', frameOf(2));
    await simulation.run();
    expect(receivedNumbers).toEqual([2]);
  });

  test('peers that are not admitted never connect', async () => {
    const { a, b } = await two({ admits: (x, y) => x !== peerKey(1) && y !== peerKey(1) });
    expect(a.transport.peers().map(({ connected }) => connected)).toEqual([false, true]);
    expect(b.events).toEqual([]);
  });
});

describe('latencies', () => {
  test('follow a table of regions: half of the round trip, with jitter', async () => {
    const regions = new Map([
      [peerKey(0), 'east'],
      [peerKey(1), 'west'],
      [peerKey(2), 'west'],
    ]);
    const p50 = { east: { east: 2, west: 60 }, west: { east: 60, west: 2 } };
    const p90 = { east: { east: 3, west: 70 }, west: { east: 70, west: 3 } };
    const latency = regionLatency({ regions, roundTripP50Ms: p50, roundTripP90Ms: p90 });
    const { simulation, a, b } = await two({ latency });
    const startMs = simulation.nowMs;
    const delays: number[] = [];
    for (let i = 0; i < 500; i++) simulation.schedule(i * 100, () => a.transport.send(b.key, 'consensus', frameOf(i)));
    await simulation.run();
    for (const { frame, atMs } of b.received) delays.push(atMs - startMs - 100 * numberOf(frame));
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    expect(Math.abs(mean - 30)).toBeLessThan(1);
    expect(() => latency(peerKey(0), peerKey(9), simulation.random('x'))).toThrow(RangeError);
  });

  test('with jitter have their mean and their minimum', async () => {
    const { simulation } = await two();
    const random = simulation.random('latency');
    const latency = jitteredLatency(200, 150, 5);
    const delays = Array.from({ length: 20_000 }, () => latency('a', 'b', random));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(5);
    expect(Math.abs(delays.reduce((sum, delay) => sum + delay, 0) / delays.length - 200)).toBeLessThan(10);
  });
});
