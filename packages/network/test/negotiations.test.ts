/** multistream-select answers every request: of unknown keys before the handshake, of peers on each new stream. */
import { connect as connectSocket, type Socket } from 'node:net';
import { concatBytes } from '@slipstream/primitives';
import { afterEach, expect, test } from 'vitest';
import { ANSWERS_MAX } from '../src/negotiations.ts';
import { connect, isConnected, startNode, stopAll, until } from './cluster.ts';
import { startRawPeer, stopRawPeers } from './raw-peer.ts';

let socket: Socket | undefined;

afterEach(async () => {
  socket?.destroy();
  await stopRawPeers();
  await stopAll();
});

/** A protocol without a name: its length, and the line's end. */
const QUESTION = new Uint8Array([1, 10]);
/** `na`, its length, the line's end. */
const ANSWER_BYTES = 4;
const questions = (count: number) => concatBytes(...Array.from({ length: count }, () => QUESTION));

test('an unknown peer that negotiates protocol after protocol gets a bounded number of answers', async () => {
  const node = await startNode(0);
  socket = connectSocket(Number(node.address.split('/').at(-1)), '127.0.0.1');
  let answered = 0;
  let closed = false;
  socket.on('data', ({ length }) => {
    answered += length;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
  });
  socket.write(questions(2_000));
  await until(() => closed);
  expect(answered).toBeLessThanOrEqual(ANSWERS_MAX * ANSWER_BYTES);
  expect(node.telemetry.counts.get('network_refused_total handshake-flood')).toBe(1);
  await connect(await startNode(1), node);
});

test('a peer that negotiates protocol after protocol on a stream loses its connection', async () => {
  const node = await startNode(0);
  const peer = await startRawPeer(1, node);
  await until(() => isConnected(node, peer.key));
  const asked = questions(ANSWERS_MAX + 1);
  const frame = new Uint8Array(12 + asked.length);
  const view = new DataView(frame.buffer);
  view.setUint16(2, 1); // opens the stream
  view.setUint32(4, 1_001);
  view.setUint32(8, asked.length);
  frame.set(asked, 12);
  peer.below.send(frame);
  await until(() => !isConnected(node, peer.key));
  expect(node.events.at(-1)).toMatchObject({ type: 'lost', reason: 'closed by the peer' }); // not for a missing answer
});
