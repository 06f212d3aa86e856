import { concatBytes, uint32le } from '@slipstream/primitives';
import { afterEach, expect, test } from 'vitest';
import { createUnfinishedFrames } from '../src/unfinished-frames.ts';
import { isConnected, KIND, startNode, stopAll, until } from './cluster.ts';
import { startRawPeer, stopRawPeers } from './raw-peer.ts';

afterEach(async () => {
  await stopRawPeers();
  await stopAll();
});

const BYTES = 1_000;
const beginning = new Uint8Array([...uint32le(BYTES), KIND.consensus]);
const rest = new Uint8Array(BYTES - 1);

test('the oldest frames are dropped until the newest has room, and finished ones count no longer', () => {
  const events: string[] = [];
  const unfinished = createUnfinishedFrames(10, () => events.push('dropped'));
  const begin = (name: string, bytes: number) => unfinished.begin(bytes, () => events.push(name));
  const endA = begin('a', 4);
  begin('b', 4);
  endA();
  endA();
  begin('c', 6);
  expect(events).toEqual([]);
  begin('d', 4);
  expect(events).toEqual(['dropped', 'b']);
  begin('e', 10);
  expect(events).toEqual(['dropped', 'b', 'dropped', 'c', 'dropped', 'd']);
});

test('full nodes that leave frames unfinished share a bounded memory: the oldest loses its connection, and is not blocked', async () => {
  const node = await startNode(0, { admit: () => 'full-node', limits: { unfinishedBytesMax: 2 * BYTES } });
  const peers = [];
  for (let i = 1; i <= 3; i++) {
    const peer = await startRawPeer(i, node);
    const lane = await peer.open('consensus');
    await until(() => isConnected(node, peer.key));
    peers.push({ ...peer, lane });
  }
  const [first, second, third] = peers as [Begun, Begun, Begun];
  for (const [i, { lane }] of [first, second].entries()) {
    lane.send(concatBytes(beginning, rest, beginning));
    await until(() => node.frames.length === i + 1);
  }
  third.lane.send(beginning);
  await until(() => !isConnected(node, first.key));
  expect(node.events).toContainEqual({ type: 'lost', peer: first.key, reason: 'unfinished frame' });
  for (const { lane } of [second, third]) lane.send(rest);
  await until(() => node.frames.length === 4);
  expect(node.telemetry.counts.get('network_unfinished_dropped_total')).toBe(1);
  expect(node.events.filter(({ type }) => type === 'offence')).toEqual([]);
  const again = await startRawPeer(1, node);
  await until(() => isConnected(node, again.key));
});

test("validators' frames do not count", async () => {
  const node = await startNode(0, { limits: { unfinishedBytesMax: 1 } });
  const peer = await startRawPeer(1, node);
  const lane = await peer.open('consensus');
  await until(() => isConnected(node, peer.key));
  lane.send(beginning);
  lane.send(rest);
  await until(() => node.frames.length === 1);
});

type Begun = Awaited<ReturnType<typeof startRawPeer>> & {
  readonly lane: Awaited<ReturnType<Awaited<ReturnType<typeof startRawPeer>>['open']>>;
};
