/** Private members that src/patches uses exist, in exactly the pinned versions. */
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noise } from '@chainsafe/libp2p-noise';
import { yamux } from '@chainsafe/libp2p-yamux';
import type { ConnectionEncrypter, Libp2p, MessageStream, StreamMuxer, StreamMuxerFactory } from '@libp2p/interface';
import { tcp } from '@libp2p/tcp';
import { createLibp2p } from 'libp2p';
import { afterEach, expect, test } from 'vitest';
import { silentLogger } from '../src/libp2p-log.ts';
import { LANE_WINDOW_BYTES, MUXER_QUOTA } from '../src/limits.ts';
import { boundedYamux } from '../src/muxer.ts';
import { guardRecords } from '../src/patches/noise-records.ts';
import { ESTABLISHED, eachNewStream } from '../src/patches/yamux-streams.ts';
import { realClock, until } from './cluster.ts';

const HEADER_BYTES = 12;
const TYPE_DATA = 0;
const TYPE_WINDOW_UPDATE = 1;
const running: Libp2p[] = [];
const ours = () => boundedYamux({ clock: realClock, throttled() {} }, MUXER_QUOTA);

afterEach(async () => {
  await Promise.all(running.splice(0).map((node) => node.stop()));
});

/** Counts the window updates that arrive. */
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

type MakeNoise = ReturnType<typeof noise>;

async function create(
  muxer: () => StreamMuxerFactory,
  listen: readonly string[],
  encrypter: MakeNoise | ((components: Parameters<MakeNoise>[0]) => ConnectionEncrypter) = noise(),
): Promise<Libp2p> {
  const node = await createLibp2p({
    logger: silentLogger,
    addresses: { listen: [...listen] },
    transports: [tcp()],
    connectionEncrypters: [encrypter],
    streamMuxers: [muxer],
    connectionMonitor: { enabled: false },
  });
  running.push(node);
  return node;
}

test('many frames pass several windows, with two window updates for each', async () => {
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

const packageFolder = join(import.meta.dirname, '..');

test.each(['@chainsafe/libp2p-noise', '@chainsafe/libp2p-yamux', '@libp2p/tcp'])(
  '%s is pinned to one version, which is installed',
  (name) => {
    const { dependencies } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
    const main = fileURLToPath(import.meta.resolve(name));
    const folder = main.slice(0, main.lastIndexOf(name) + name.length);
    const installed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(installed.version).toBe(dependencies[name]);
  },
);

/** Two plain libp2p nodes, and the layers of their connection. */
async function plainConnection() {
  const seen: { muxers: StreamMuxer[]; encrypted: MessageStream[]; raw: MessageStream[] } = {
    muxers: [],
    encrypted: [],
    raw: [],
  };
  const makeYamux = yamux();
  const muxer = (): StreamMuxerFactory => {
    const inner = makeYamux();
    return {
      protocol: inner.protocol,
      createStreamMuxer(connection) {
        seen.encrypted.push(connection);
        const made = inner.createStreamMuxer(connection);
        seen.muxers.push(made);
        return made;
      },
    };
  };
  const makeNoise = noise();
  const encrypter = (components: Parameters<MakeNoise>[0]): ConnectionEncrypter => {
    const inner = makeNoise(components);
    return {
      protocol: inner.protocol,
      secureOutbound(connection, options) {
        seen.raw.push(connection);
        return inner.secureOutbound(connection, options);
      },
      secureInbound: (connection, options) => inner.secureInbound(connection, options),
    };
  };
  const server = await create(() => makeYamux(), ['/ip4/127.0.0.1/tcp/0']);
  await server.handle('/sink', () => {});
  const client = await create(muxer, [], encrypter);
  const connection = await client.dial(server.getMultiaddrs());
  const [muxed, encrypted, raw] = [seen.muxers[0], seen.encrypted[0], seen.raw[0]];
  if (!muxed || !encrypted || !raw) throw new Error('a connection has a muxer, an encrypted stream and a raw one');
  return { connection, muxed, encrypted, raw };
}

test('noise reads the length of each record by decoder.lengthDecoder', async () => {
  const { connection, encrypted } = await plainConnection();
  const { decoder } = encrypted as unknown as { decoder: { lengthDecoder: (arrived: unknown) => number } };
  let calls = 0;
  const lengthOf = decoder.lengthDecoder.bind(decoder);
  decoder.lengthDecoder = (arrived) => {
    calls += 1;
    return lengthOf(arrived);
  };
  await connection.newStream('/sink');
  expect(calls).toBeGreaterThan(0);
});

test('yamux creates each stream by _newStream, with the state and windows that the patch reads', async () => {
  const { connection, muxed } = await plainConnection();
  const streams: { state: number; recvWindow: number; recvWindowCapacity: number; sendWindowUpdate: () => void }[] = [];
  eachNewStream(muxed, (stream: (typeof streams)[number]) => streams.push(stream));
  await connection.newStream('/sink');
  const [stream] = streams;
  expect(stream?.sendWindowUpdate).toBeInstanceOf(Function);
  expect(stream?.recvWindow).toBeGreaterThan(0);
  expect(stream?.recvWindowCapacity).toBeGreaterThan(0);
  await until(() => stream?.state === ESTABLISHED);
});

test('a TCP connection has its socket', async () => {
  const { raw } = await plainConnection();
  expect((raw as unknown as { socket: unknown }).socket).toBeInstanceOf(Socket);
});

test('a patch whose patched member is missing refuses the connection', () => {
  expect(() => guardRecords({} as MessageStream)).toThrow('Noise reads the length of each record in one place');
  expect(() => eachNewStream({} as StreamMuxer, () => {})).toThrow('the muxer makes its streams in one place');
});
