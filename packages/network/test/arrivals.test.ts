import { connect as connectSocket, type Socket } from 'node:net';
import { multiaddr } from '@multiformats/multiaddr';
import { afterEach, describe, expect, test } from 'vitest';
import { createArrivals } from '../src/arrivals.ts';
import { ARRIVAL_ADDRESSES_MAX } from '../src/limits.ts';
import { connect, isConnected, keyOf, type Node, startNode, stopAll } from './cluster.ts';

const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await stopAll();
});

const refused = (node: Node, reason: string): number =>
  node.telemetry.counts.get(`network_refused_total ${reason}`) ?? 0;

const NONE = { perSecond: 0, burst: 0 };

/** libp2p's first words to agree on Noise, then any ephemeral key of 32 bytes: 62 bytes. */
function halfHandshake(): Buffer {
  const said = (protocol: string) => Buffer.concat([Buffer.from([protocol.length + 1]), Buffer.from(`${protocol}\n`)]);
  return Buffer.concat([said('/multistream/1.0.0'), said('/noise'), Buffer.from([0, 32]), Buffer.alloc(32, 9)]);
}
/** With a key and a signature; agreement on the protocol takes 27 bytes. */
const ANSWER_BYTES = 100;

/** Requests a handshake and stops; false: the connection was closed instead. */
function isAnswered(node: Node): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connectSocket(Number(node.address.split('/').at(-1)), '127.0.0.1');
  sockets.add(socket);
  let got = 0;
  socket.on('connect', () => socket.write(halfHandshake()));
  socket.on('data', ({ length }) => {
    got += length;
    if (got >= ANSWER_BYTES) resolve(true);
  });
  socket.on('error', () => {});
  socket.on('close', () => resolve(false));
  return promise;
}

describe('half handshakes', () => {
  test('from one address are answered at its rate, the rest refused and counted', async () => {
    const node = await startNode(0, { limits: { arrivalsPerAddress: { perSecond: 0, burst: 9 } } });
    await connect(await startNode(1), node);
    const answers = await Promise.all(Array.from({ length: 50 }, () => isAnswered(node)));
    expect(answers.filter((isOne) => isOne)).toHaveLength(8);
    expect(refused(node, 'address-rate')).toBe(42);
    expect(node.connected()).toBe(1);
    expect(node.telemetry.events.filter(({ type }) => type === 'peer.refused')).toEqual([]);
  });

  test('of unknown peers exclude no peer with a configured address', async () => {
    const node = await startNode(0, { limits: { unknownPeerArrivals: NONE } });
    expect(await isAnswered(node)).toBe(false);
    expect(refused(node, 'arrival-rate')).toBe(1);
    node.transport.setPeers([{ peer: keyOf(7), address: '127.0.0.1:1' }]);
    expect(await isAnswered(node)).toBe(true);
  });

  test('of unknown peers exclude no validator that this node has found or is about to find', async () => {
    const node = await startNode(0, { limits: { unknownPeerArrivals: NONE } });
    const member = await startNode(1);
    expect(await isAnswered(node)).toBe(false);
    await connect(node, member);
    node.transport.setPeers([]); // it still knows a validator's address
    const late = await startNode(2);
    await connect(late, node);
    expect(isConnected(node, member.key)).toBe(true);
    expect(refused(node, 'arrival-rate')).toBe(1);
  });

  test('of unknown peers include those of an admitted full node until it has a place', async () => {
    const limits = { unknownPeerArrivals: { perSecond: 0, burst: 1 } };
    const node = await startNode(0, { admit: () => 'full-node', reserved: [keyOf(9)], limits });
    await connect(await startNode(1), node);
    expect(await isAnswered(node)).toBe(false);
    await connect(node, await startNode(9));
    expect(await isAnswered(node)).toBe(true);
  });
});

describe('arrivals', () => {
  function inHand(
    arrivalsPerAddress = { perSecond: 20, burst: 64 },
    unknownPeerArrivals = { perSecond: 50, burst: 256 },
  ) {
    const time = { nowMs: 0 };
    const arrivals = createArrivals(
      { clock: { monotonicMs: () => time.nowMs } },
      { arrivalsPerAddress, unknownPeerArrivals },
    );
    const from = (host: number | string) =>
      multiaddr(`/ip4/${typeof host === 'string' ? host : `10.0.${host >> 8}.${host & 255}`}/tcp/1`);
    /** Number admitted of `count` at once. */
    const admitted = (count: number, hostOf: (n: number) => number | string) => {
      let taken = 0;
      for (let n = 0; n < count; n++) if (arrivals.take(from(hostOf(n))) === undefined) taken++;
      return taken;
    };
    return { time, arrivals, from, admitted };
  }

  test('of one address pass in a burst, then at its rate; those of another count separately', () => {
    const { time, arrivals, from, admitted } = inHand();
    expect(admitted(1_000, () => 1)).toBe(64);
    expect(arrivals.take(from(1))).toBe('address-rate');
    expect(admitted(1_000, () => 2)).toBe(64);
    time.nowMs = 1_000;
    expect(admitted(1_000, () => 1)).toBe(20);
    time.nowMs = 1_000_000;
    expect(admitted(1_000, () => 1)).toBe(64);
  });

  test('of unknown peers share one burst and one rate, however many addresses they have', () => {
    const { time, arrivals, from, admitted } = inHand();
    expect(admitted(1_000, (n) => n)).toBe(256);
    expect(arrivals.take(from(2_000))).toBe('arrival-rate');
    time.nowMs = 1_000;
    expect(admitted(1_000, (n) => n)).toBe(50);
  });

  test('from configured addresses and those of peers with a place use the quota of their own address', () => {
    const { arrivals, from, admitted } = inHand();
    arrivals.configure([from('10.9.0.1')]);
    arrivals.welcome(keyOf(1), { direction: 'inbound', remoteAddr: from('10.9.0.2') });
    arrivals.welcome(keyOf(1), { direction: 'outbound', remoteAddr: from('10.9.0.3') });
    expect(admitted(1_000, (n) => n)).toBe(256);
    for (const host of ['10.9.0.1', '10.9.0.2', '10.9.0.3']) expect(admitted(100, () => host)).toBe(64);
  });

  test('from a former address of a peer or of the configuration count as those of unknown peers', () => {
    const { arrivals, from, admitted } = inHand();
    arrivals.configure([from('10.9.0.1')]);
    arrivals.welcome(keyOf(1), { direction: 'inbound', remoteAddr: from('10.9.0.2') });
    arrivals.welcome(keyOf(1), { direction: 'inbound', remoteAddr: from('10.9.0.3') });
    arrivals.configure([]);
    expect(admitted(1_000, (n) => n)).toBe(256);
    for (const host of ['10.9.0.1', '10.9.0.2']) expect(arrivals.take(from(host))).toBe('arrival-rate');
    expect(arrivals.take(from('10.9.0.3'))).toBeUndefined();
  });

  test('are counted for a bounded number of addresses: of equal counts, the oldest is evicted', () => {
    const { arrivals, from, admitted } = inHand({ perSecond: 0, burst: 1 }, { perSecond: 0, burst: 10_000 });
    expect(admitted(ARRIVAL_ADDRESSES_MAX, (n) => n)).toBe(ARRIVAL_ADDRESSES_MAX);
    expect(arrivals.take(from(0))).toBe('address-rate');
    expect(arrivals.take(from('10.9.0.1'))).toBeUndefined();
    expect(arrivals.take(from(1))).toBe('address-rate');
    expect(arrivals.take(from(0))).toBeUndefined();
  });
});
