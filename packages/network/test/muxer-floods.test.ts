/** Data below the lanes: tiny muxer frames and empty records, which no lane's quota counts. */
import { concatBytes, uint32le } from '@slipstream/primitives';
import { afterEach, expect, test } from 'vitest';
import { connect, frameOf, isConnected, type Node, startNode, stopAll, until } from './cluster.ts';
import { type RawPeer, startRawPeer, stopRawPeers } from './raw-peer.ts';

const HEADER_BYTES = 12;
const TYPE_DATA = 0;
const TYPE_WINDOW_UPDATE = 1;
/** No open stream. */
const NO_STREAM = 4_001;
const BYTES_MAX = 1e9;
const quota = { bytesPerSecond: BYTES_MAX, framesPerSecond: 5_000, burstSeconds: 0.1 };

afterEach(async () => {
  await stopRawPeers();
  await stopAll();
});

const waits = (node: Node): number => node.telemetry.counts.get('network_quota_waits_total muxer') ?? 0;

function muxerFrame(type: number, stream: number, body: readonly number[]): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + body.length);
  frame[1] = type;
  new DataView(frame.buffer).setUint32(4, stream);
  new DataView(frame.buffer).setUint32(8, body.length);
  frame.set(body, HEADER_BYTES);
  return frame;
}

/** What Noise writes to; the peer can write beside it. */
const socketOf = (peer: RawPeer) => (peer.below as unknown as { stream: { send(bytes: Uint8Array): void } }).stream;

test('a frame cut into single bytes is read whole, at the rate of the quota, and delays no other peer', async () => {
  const node = await startNode(0, { muxerQuota: quota });
  const [peer, other] = [await startRawPeer(1, node), await startNode(2)];
  await connect(other, node);
  const lane = await peer.open('consensus');
  await until(() => isConnected(node, peer.key));
  const frame = frameOf('consensus', 1, 8_000);
  const bytes = concatBytes(uint32le(frame.length), frame);
  const pieces = [...bytes].map((byte) => muxerFrame(TYPE_DATA, Number(lane.id), [byte]));
  peer.below.send(concatBytes(...pieces));
  await until(() => waits(node) > 0);
  other.transport.send(node.key, 'consensus', frameOf('consensus', 2));
  await until(() => node.frames.length === 1);
  expect(node.frames[0]?.from).toBe(other.key);
  await until(() => node.frames.length === 2);
  expect(node.frames[1]?.frame).toEqual(frame);
  expect(isConnected(node, peer.key)).toBe(true);
});

test.each([
  { what: 'window updates of nothing', frame: muxerFrame(TYPE_WINDOW_UPDATE, NO_STREAM, []) },
  { what: 'data of an unknown stream', frame: muxerFrame(TYPE_DATA, NO_STREAM, [0]) },
])('a flood of $what waits at its sender', async ({ frame }) => {
  const node = await startNode(0, { muxerQuota: quota });
  const peer = await startRawPeer(1, node);
  await until(() => isConnected(node, peer.key));
  const flood = concatBytes(...Array.from({ length: 2_000 }, () => frame));
  // More than sockets on one machine hold.
  for (let sent = 0; sent < 64_000_000 && !peer.below.writableNeedsDrain; sent += flood.length) {
    peer.below.send(flood);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(peer.below.writableNeedsDrain).toBe(true);
  expect(waits(node)).toBeGreaterThan(0);
});

test.each([
  { what: 'declares no bytes', send: (peer: RawPeer) => socketOf(peer).send(new Uint8Array(2)) },
  {
    what: 'encrypts no bytes',
    send(peer: RawPeer) {
      const { encrypt } = (peer.below as unknown as { handshake: { encrypt(bytes: Uint8Array): Uint8Array } })
        .handshake;
      const record = encrypt(new Uint8Array(0));
      socketOf(peer).send(concatBytes(new Uint8Array([0, record.length]), record));
    },
  },
])('a record that $what ends the connection', async ({ send }) => {
  const node = await startNode(0);
  const peer = await startRawPeer(1, node);
  await until(() => isConnected(node, peer.key));
  send(peer);
  await until(() => !isConnected(node, peer.key));
});
