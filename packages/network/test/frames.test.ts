import { LANES } from '@slipstream/ports';
import { afterEach, expect, test } from 'vitest';
import { connect, FRAME_BYTES_MAX, frameOf, numberOf, startNode, stopAll, until } from './cluster.ts';

afterEach(stopAll);

test('two nodes exchange frames on all lanes, each lane in order', async () => {
  const [a, b] = await Promise.all([startNode(0), startNode(1)]);
  await connect(a, b);
  const each = 200;
  for (let i = 0; i < each; i++) {
    for (const lane of LANES) {
      const length = i % 50 === 0 ? 300_000 : 5 + i;
      expect(a.transport.send(b.key, lane, frameOf(lane, i, length))).toBe(true);
      expect(b.transport.send(a.key, lane, frameOf(lane, i, length))).toBe(true);
    }
  }
  await until(() => a.frames.length === each * LANES.length && b.frames.length === each * LANES.length);
  for (const node of [a, b]) {
    for (const lane of LANES) {
      const numbers = node.frames.filter((entry) => entry.lane === lane).map((entry) => numberOf(entry.frame));
      expect(numbers).toEqual(Array.from({ length: each }, (_, i) => i));
    }
  }
});

test('traffic is counted by lane', async () => {
  const [a, b] = await Promise.all([startNode(0), startNode(1)]);
  await connect(a, b);
  a.transport.send(b.key, 'chunk', frameOf('chunk', 1, 1_000));
  a.transport.send(b.key, 'chunk', frameOf('chunk', 2, 500));
  a.transport.send(b.key, 'sync', frameOf('sync', 3, 20));
  await until(() => b.frames.length === 3);
  const none = { bytesIn: 0, bytesOut: 0, framesIn: 0, framesOut: 0 };
  expect(b.transport.traffic()).toEqual({
    consensus: none,
    proposal: none,
    chunk: { ...none, bytesIn: 1_500, framesIn: 2 },
    transaction: none,
    sync: { ...none, bytesIn: 20, framesIn: 1 },
  });
  const { chunk, consensus } = a.transport.traffic();
  expect([chunk.framesOut, consensus.framesOut]).toEqual([2, 0]);
  expect(chunk.bytesOut).toBeGreaterThanOrEqual(1_500);
});

test('sending a frame that no peer would accept is an error of the caller', async () => {
  const [a, b] = await Promise.all([startNode(0), startNode(1)]);
  await connect(a, b);
  const wrong = [
    { lane: 'consensus', frame: frameOf('chunk', 1) },
    { lane: 'consensus', frame: new Uint8Array([99]) },
    { lane: 'consensus', frame: new Uint8Array() },
    { lane: 'chunk', frame: frameOf('chunk', 1, FRAME_BYTES_MAX + 1) },
  ] as const;
  for (const { lane, frame } of wrong) {
    expect(() => a.transport.send(b.key, lane, frame)).toThrow(/invariant/);
    expect(() => a.transport.broadcast(lane, frame)).toThrow(/invariant/);
  }
  a.transport.send(b.key, 'chunk', frameOf('chunk', 1, FRAME_BYTES_MAX));
  await until(() => b.frames.length === 1);
});

test('a vote overtakes chunks that were queued before it', async () => {
  const [a, b] = await Promise.all([startNode(0), startNode(1)]);
  await connect(a, b);
  const chunks = 20;
  for (let i = 0; i < chunks; i++) a.transport.send(b.key, 'chunk', frameOf('chunk', i, FRAME_BYTES_MAX));
  a.transport.send(b.key, 'consensus', frameOf('consensus', 1));
  await until(() => b.frames.length === chunks + 1);
  const votePlace = b.frames.findIndex(({ lane }) => lane === 'consensus');
  expect(votePlace).toBeLessThan(chunks / 2);
});
