import { connect as connectSocket, type Socket } from 'node:net';
import { LANES } from '@slipstream/ports';
import { concatBytes, uint32le } from '@slipstream/primitives';
import { afterEach, expect, test } from 'vitest';
import { LANE_WINDOW_BYTES } from '../src/limits.ts';
import {
  connect,
  FRAME_BYTES_MAX,
  frameOf,
  isConnected,
  KIND,
  type Node,
  startNode,
  statusOf,
  stopAll,
  until,
} from './cluster.ts';
import { startRawPeer, stopRawPeers } from './raw-peer.ts';

const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await stopRawPeers();
  await stopAll();
});

const offencesOf = (node: Node) => node.events.filter((event) => event.type === 'offence');

const breaches = [
  {
    what: 'a frame over the maximum of its kind',
    head: [...uint32le(FRAME_BYTES_MAX + 1), KIND.consensus],
    reason: 'oversize',
  },
  { what: 'four declared gigabytes', head: [255, 255, 255, 255, KIND.consensus], reason: 'oversize' },
  { what: 'an unknown kind', head: [5, 0, 0, 0, 99], reason: 'malformed-frame' },
  { what: 'a kind of another lane', head: [5, 0, 0, 0, KIND.chunk], reason: 'malformed-frame' },
  { what: 'an empty frame', head: [0, 0, 0, 0], reason: 'malformed-frame' },
  { what: 'garbage', head: [0xde, 0xad, 0xbe, 0xef, 0xff, 0x13, 0x37], reason: 'malformed-frame' },
] as const;

test.each(breaches)('$what is an offence and ends the connection, in bounded memory', async ({ head, reason }) => {
  const node = await startNode(0);
  const peer = await startRawPeer(1, node);
  const lane = await peer.open('consensus');
  await until(() => isConnected(node, peer.key));
  const before = process.memoryUsage().arrayBuffers;
  lane.send(new Uint8Array(head));
  await until(() => !isConnected(node, peer.key));
  expect(offencesOf(node)).toMatchObject([{ peer: peer.key, reason }]);
  expect(node.events.map((event) => event.type)).toEqual(['connected', 'offence', 'lost']);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
});

test('a muxer frame larger than any window ends the connection at its header', async () => {
  const node = await startNode(0);
  const peer = await startRawPeer(1, node);
  await until(() => isConnected(node, peer.key));
  const header = new Uint8Array(12);
  new DataView(header.buffer).setUint32(4, 1);
  new DataView(header.buffer).setUint32(8, LANE_WINDOW_BYTES + 1);
  peer.below.send(header);
  await until(() => !isConnected(node, peer.key));
});

test('a flood of muxer pings ends the connection', async () => {
  const node = await startNode(0);
  const peer = await startRawPeer(1, node);
  await until(() => isConnected(node, peer.key));
  for (let i = 0; i < 100 && peer.connection.status === 'open'; i++) {
    const ping = new Uint8Array(12);
    ping[1] = 2;
    ping[3] = 1;
    peer.below.send(ping);
  }
  await until(() => !isConnected(node, peer.key));
});

test('a second stream of one lane is refused, and the first stays open', async () => {
  const node = await startNode(0);
  const peer = await startRawPeer(1, node);
  const lane = await peer.open('consensus');
  await until(() => isConnected(node, peer.key));
  const second = await peer.open('consensus').catch(() => undefined);
  await until(() => second === undefined || second.status !== 'open');
  const frame = frameOf('consensus', 7);
  lane.send(concatBytes(uint32le(frame.length), frame));
  await until(() => node.frames.length === 1);
});

test('a slow reader costs bounded memory and its own frames, and delays no other peer', async () => {
  const bytesMax = 4_000_000;
  const node = await startNode(0, { queues: { chunk: { bytesMax, framesMax: 1_000 } } });
  const slow = await startRawPeer(1, node);
  const other = await startNode(2);
  await connect(other, node);
  await until(() => isConnected(node, slow.key));
  const frame = frameOf('chunk', 1, 500_000);
  for (let i = 0; i < 100; i++) {
    node.transport.broadcast('chunk', frame);
    await until(() => other.frames.length === i + 1);
  }
  expect(statusOf(node, other.key)?.framesDropped).toBe(0);
  const status = statusOf(node, slow.key);
  expect(status?.framesDropped).toBeGreaterThan(0);
  expect(status?.queuedBytes).toBeLessThan(bytesMax + 1_000_000);
  expect(node.telemetry.counts.get('network_frames_dropped_total chunk')).toBe(status?.framesDropped);
  expect(node.transport.send(slow.key, 'chunk', frame)).toBe(false);
  expect(isConnected(node, slow.key)).toBe(true);
});

test('traffic over the quota is read slowly and counted, and nothing is lost', async () => {
  const quota = { bytesPerSecond: 1_000_000, framesPerSecond: 100, burstSeconds: 0.1 };
  const node = await startNode(0, { quotas: { transaction: quota } });
  const sender = await startNode(1);
  await connect(sender, node);
  const count = 40;
  for (let i = 0; i < count; i++) sender.transport.send(node.key, 'transaction', frameOf('transaction', i, 10));
  sender.transport.send(node.key, 'consensus', frameOf('consensus', 0));
  await until(() => node.frames.some(({ lane }) => lane === 'consensus'));
  expect(node.frames.length).toBeLessThan(count);
  await until(() => node.frames.length === count + 1);
  expect(node.telemetry.counts.get('network_quota_waits_total transaction')).toBeGreaterThan(0);
  expect(node.events.map((event) => event.type)).toEqual(['connected']);
});

test.each(LANES)('tiny frames of a full node on the %s lane are read at its frame quota', async (lane) => {
  const node = await startNode(0, { admit: () => 'full-node' });
  const peer = await startRawPeer(1, node);
  const stream = await peer.open(lane);
  await until(() => isConnected(node, peer.key));
  const frame = frameOf(lane, 1);
  const count = 20_000;
  stream.send(concatBytes(...Array.from({ length: count }, () => concatBytes(uint32le(frame.length), frame))));
  const waits = () => node.telemetry.counts.get(`network_quota_waits_total ${lane}`) ?? 0;
  await until(() => waits() > 0 || node.frames.length === count);
  expect(node.frames.length).toBeLessThan(5_000);
  expect(isConnected(node, peer.key)).toBe(true);
});

test('a validator that reconnects continues its quota: a new connection grants no burst', async () => {
  const burst = 1_000;
  const node = await startNode(0, {
    quotas: { consensus: { bytesPerSecond: 1_000_000, framesPerSecond: 10, burstSeconds: burst / 10 } },
  });
  const frame = frameOf('consensus', 1);
  const flood = concatBytes(...Array.from({ length: 2 * burst }, () => concatBytes(uint32le(frame.length), frame)));
  const waits = () => node.telemetry.counts.get('network_quota_waits_total consensus') ?? 0;
  for (const connection of [1, 2, 3]) {
    const peer = await startRawPeer(1, node);
    await until(() => isConnected(node, peer.key));
    const before = waits();
    (await peer.open('consensus')).send(flood);
    await until(() => waits() > before);
    expect({ connection, isMore: node.frames.length > burst + burst / 2 }).toEqual({ connection, isMore: false });
    peer.connection.abort(new Error('again'));
    await until(() => !isConnected(node, peer.key));
  }
  expect(node.frames.length).toBeGreaterThanOrEqual(burst);
});

test('a flood over the quota waits at its sender, not at the receiver', async () => {
  const quota = { bytesPerSecond: 100_000, framesPerSecond: 1_000, burstSeconds: 1 };
  const node = await startNode(0, { quotas: { sync: quota } });
  const flooder = await startNode(1);
  await connect(flooder, node);
  const frame = frameOf('sync', 0, 200_000);
  for (let i = 0; i < 300; i++) flooder.transport.send(node.key, 'sync', frame);
  const status = () => statusOf(flooder, node.key);
  await until(() => (node.telemetry.counts.get('network_quota_waits_total sync') ?? 0) > 0);
  await until(() => (status()?.bytesOut ?? 0) >= LANE_WINDOW_BYTES);
  flooder.transport.send(node.key, 'consensus', frameOf('consensus', 1));
  await until(() => node.frames.some(({ lane }) => lane === 'consensus'));
  // The sender has sent one window and what the buffers hold.
  expect(status()?.bytesOut).toBeLessThan(LANE_WINDOW_BYTES + 2_000_000);
  expect(isConnected(node, flooder.key)).toBe(true);
});

test('an unresponsive peer is disconnected', async () => {
  const node = await startNode(0, { ping: { intervalMs: 20, timeoutMs: 200 } });
  const [silent, lively] = [await startRawPeer(1, node), await startNode(2)];
  await connect(lively, node);
  await until(() => node.events.some((event) => event.type === 'lost'));
  expect(node.events.filter((event) => event.type === 'lost')).toEqual([
    { type: 'lost', peer: silent.key, reason: 'no sign of life' },
  ]);
  expect(isConnected(node, lively.key)).toBe(true);
});

test('a flood of half-open connections excludes no honest peer, stays bounded and times out', async () => {
  const arrivalsPerAddress = { perSecond: 1_000, burst: 1_000 };
  const limits = { handshakesMax: 32, handshakesPerAddressMax: 32, handshakeTimeoutMs: 1_000, arrivalsPerAddress };
  const [node, friend] = await Promise.all([startNode(0, { limits }), startNode(1)]);
  await connect(friend, node);
  const port = Number(node.address.split('/').at(-1));
  let closed = 0;
  for (let i = 0; i < 200; i++) {
    const socket = connectSocket(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.on('close', () => closed++);
    sockets.add(socket);
  }
  const refused = (reason: string) => node.telemetry.counts.get(`network_refused_total ${reason}`) ?? 0;
  await until(() => refused('handshake-limit') >= 200 - limits.handshakesMax);
  const late = await startNode(2);
  await connect(late, node);
  friend.transport.send(node.key, 'consensus', frameOf('consensus', 1));
  await until(() => node.frames.length === 1);
  await until(() => closed === 200);
  expect(refused('handshake-limit') + refused('handshake-timeout')).toBeGreaterThanOrEqual(200);
  expect(node.connected()).toBe(2);
});
