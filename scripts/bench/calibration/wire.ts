/** Bytes that a chunk takes on a TCP connection between two transports, with all of their protocols. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from '@slipstream/network';
import { sha256 } from '@slipstream/primitives';
import { chunkBodyCodec, GENESIS_EPOCH, NO_UNITS, signedChunkCodec } from '@slipstream/types';
import { createRecorder, realClock, realRandom } from '../../../packages/network/test/cluster.ts';

const CHUNK = 3;
const FRAME_BYTES_MAX = 3_000_000;
const unlimited = { bytesPerSecond: 1e12, framesPerSecond: 1e12, burstSeconds: 1 };
/** Until what else is on its way has passed. */
const SETTLE_MS = 20;

export interface Wire {
  bytesOf(body: {
    readonly transactions?: readonly Uint8Array[];
    readonly batches?: readonly Uint8Array[];
  }): Promise<number>;
  close(): Promise<void>;
}

export async function openWire(): Promise<Wire> {
  const [a, b] = await Promise.all([startTransport(1), startTransport(2)]);
  const address = b.addresses()[0]?.split('/p2p/')[0] ?? '';
  const proxy = await countBytes(Number(address.split('/').at(-1)));
  let arrived: (() => void) | undefined;
  b.onFrame(() => arrived?.());
  a.setPeers([{ peer: b.self, address: `/ip4/127.0.0.1/tcp/${proxy.port}` }]);
  while (!a.peers()[0]?.connected || !b.peers()[0]?.connected) await sleep(1);
  let sequence = 0;

  return {
    async bytesOf({ transactions = [], batches = [] }) {
      const body = chunkBodyCodec.encode({ transactions, batches });
      const header = {
        epoch: GENESIS_EPOCH,
        producer: 0,
        sequence: ++sequence,
        createdMs: 0,
        expiryMs: 0,
        bodyHash: sha256(body),
        bodyBytes: body.length,
        transactionCount: transactions.length,
        batchCount: batches.length,
        rowCount: 0,
        units: NO_UNITS,
        acksWanted: false,
      };
      const chunk = signedChunkCodec.encode({ header, body, signature: realRandom.bytes(192) });
      const frame = new Uint8Array(1 + chunk.length);
      frame[0] = CHUNK;
      frame.set(chunk, 1);
      await sleep(SETTLE_MS);
      const before = proxy.sent();
      const done = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      a.send(b.self, 'chunk', frame);
      await done;
      return proxy.sent() - before;
    },
    async close() {
      await Promise.all([a.stop(), b.stop()]);
      proxy.close();
    },
  };
}

async function startTransport(seed: number) {
  const transport = createTransport(
    { clock: realClock, random: realRandom, telemetry: createRecorder() },
    {
      seed: new Uint8Array(32).fill(seed),
      genesisHash: new Uint8Array(32),
      listen: ['127.0.0.1:0'],
      peers: [],
      admit: () => 'validator',
      frameLimits: new Map([[CHUNK, { lane: 'chunk', bytesMax: FRAME_BYTES_MAX }]]),
      quotas: { consensus: unlimited, chunk: unlimited },
      muxerQuota: unlimited,
    },
  );
  await transport.start();
  return transport;
}

/** Passes connections on to `port`, and counts what goes there. */
async function countBytes(port: number) {
  const sockets = new Set<Socket>();
  let sent = 0;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    near.on('data', (bytes) => {
      sent += bytes.length;
    });
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sent: () => sent,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
