/** Admitted peers that stop while connecting, again and again, take bounded resources. */
import { noise } from '@chainsafe/libp2p-noise';
import { yamux } from '@chainsafe/libp2p-yamux';
import type { Connection, Libp2p, StreamMuxerFactory } from '@libp2p/interface';
import { tcp } from '@libp2p/tcp';
import { multiaddr } from '@multiformats/multiaddr';
import { createLibp2p } from 'libp2p';
import { afterEach, expect, test } from 'vitest';
import { identityFromSeed } from '../src/identity.ts';
import { OPENINGS_PER_PEER_MAX } from '../src/limits.ts';
import { connect, type Node, seedOf, startNode, stopAll, until } from './cluster.ts';

const running = new Set<Libp2p>();

afterEach(async () => {
  await Promise.all([...running].map((libp2p) => libp2p.stop()));
  running.clear();
  await stopAll();
});

/** Noise without early muxer negotiation, so one must be chosen after it. */
const silentNoise: typeof noise = (...init) => {
  const create = noise(...init);
  return (components) => {
    const encrypter = create(components);
    return {
      protocol: encrypter.protocol,
      secureInbound: (connection, options) => encrypter.secureInbound(connection, options),
      secureOutbound: (connection, options) =>
        encrypter.secureOutbound(connection, { ...options, skipStreamMuxerNegotiation: true }),
    };
  };
};

/** All at once, with one key; without a muxer they stall in choosing one. */
async function dialOften(count: number, target: Node, muxers: readonly (() => StreamMuxerFactory)[]) {
  const libp2p = await createLibp2p({
    privateKey: identityFromSeed(seedOf(1)).privateKey,
    transports: [tcp()],
    connectionEncrypters: [muxers.length === 0 ? silentNoise() : noise()],
    streamMuxers: [...muxers],
    connectionMonitor: { enabled: false },
    connectionManager: { maxParallelDials: count, reconnectRetries: 0 },
  });
  running.add(libp2p);
  const open: Connection[] = [];
  for (let i = 0; i < count; i++) open.push(await libp2p.dial(multiaddr(target.address), { force: true }));
  return open;
}

const refused = (node: Node, reason: string): number =>
  node.telemetry.counts.get(`network_refused_total ${reason}`) ?? 0;

test('connections without a muxer count as handshakes: the oldest are closed, honest peers connect', async () => {
  const limits = { handshakesMax: 8, handshakesPerAddressMax: 8, handshakeTimeoutMs: 2_000 };
  const node = await startNode(0, { limits });
  await dialOften(20, node, []);
  await until(() => refused(node, 'handshake-limit') >= 12);
  await connect(await startNode(2), node);
  await until(() => refused(node, 'handshake-limit') + refused(node, 'handshake-timeout') >= 20);
});

test('connections of one peer without lanes are bounded: the oldest are closed', async () => {
  const node = await startNode(0);
  /** Chooses yamux and then answers nothing. */
  const mute = yamux();
  const connections = await dialOften(20, node, [
    () => {
      const factory = mute();
      return {
        protocol: factory.protocol,
        createStreamMuxer(stream) {
          const muxer = factory.createStreamMuxer(stream);
          stream.pause();
          return muxer;
        },
      };
    },
  ]);
  const sockets = () => connections.filter(({ status }) => status === 'open').length;
  await until(() => sockets() <= OPENINGS_PER_PEER_MAX);
  await connect(await startNode(2), node);
  expect(node.connected()).toBe(1);
});
