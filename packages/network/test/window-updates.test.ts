import { noise } from '@chainsafe/libp2p-noise';
import type { Libp2p, MessageStream, StreamMuxerFactory } from '@libp2p/interface';
import { tcp } from '@libp2p/tcp';
import { createLibp2p } from 'libp2p';
import { afterEach, expect, test } from 'vitest';
import { silentLogger } from '../src/libp2p-log.ts';
import { LANE_WINDOW_BYTES, MUXER_QUOTA } from '../src/limits.ts';
import { boundedYamux } from '../src/muxer.ts';
import { realClock, until } from './cluster.ts';

const HEADER_BYTES = 12;
const TYPE_DATA = 0;
const TYPE_WINDOW_UPDATE = 1;
const running: Libp2p[] = [];
const ours = () => boundedYamux({ clock: realClock, throttled() {} }, MUXER_QUOTA);

afterEach(async () => {
  await Promise.all(running.splice(0).map((node) => node.stop()));
});

/** Our muxer, with a count of the window updates that arrive. */
function counted(count: { updates: number }): () => StreamMuxerFactory {
  return () => {
    const inner = ours()();
    return {
      protocol: inner.protocol,
      createStreamMuxer(connection: MessageStream) {
        let left: number[] = [];
        let skip = 0;
        connection.addEventListener('message', ({ data }) => {
          for (const byte of data.subarray()) {
            if (skip > 0) skip -= 1;
            else left.push(byte);
            if (left.length < HEADER_BYTES) continue;
            const header = new DataView(Uint8Array.from(left).buffer);
            if (header.getUint8(1) === TYPE_DATA) skip = header.getUint32(8);
            if (header.getUint8(1) === TYPE_WINDOW_UPDATE) count.updates += 1;
            left = [];
          }
        });
        return inner.createStreamMuxer(connection);
      },
    };
  };
}

async function create(muxer: () => StreamMuxerFactory, listen: readonly string[]): Promise<Libp2p> {
  const node = await createLibp2p({
    logger: silentLogger,
    addresses: { listen: [...listen] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [muxer],
    connectionMonitor: { enabled: false },
  });
  running.push(node);
  return node;
}

test('many frames go through several windows, with two window updates for each window and no more', async () => {
  const count = { updates: 0 };
  const server = await create(ours(), ['/ip4/127.0.0.1/tcp/0']);
  const client = await create(counted(count), []);
  let received = 0;
  await server.handle('/sink', (stream) => {
    stream.addEventListener('message', (event) => {
      received += event.data.byteLength;
    });
  });
  const connection = await client.dial(server.getMultiaddrs());
  const stream = await connection.newStream('/sink');
  const before = count.updates;
  const frame = new Uint8Array(1_000);
  const windows = 5;
  const frames = Math.ceil((windows * LANE_WINDOW_BYTES) / frame.length);
  for (let sent = 0; sent < frames; sent++) {
    if (!stream.send(frame)) {
      await new Promise<void>((resolve) => stream.addEventListener('drain', () => resolve(), { once: true }));
    }
  }
  await until(() => received === frames * frame.length);
  expect(count.updates - before).toBeLessThanOrEqual(2 * windows + 1);
  expect(count.updates - before).toBeGreaterThanOrEqual(windows);
});
