/** Streams of clients of a broker, on real sockets. */
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { DistillBroker } from '../src/index.ts';
import { serveDistill } from '../src/streams/distill.ts';
import { realClock, startApi } from './running-api.ts';

type Carrier = Parameters<DistillBroker['open']>[0];

interface Opened {
  readonly address: string;
  readonly carrier: Carrier;
  readonly closed: Promise<void>;
}

function fakeBroker() {
  const opened: Opened[] = [];
  const broker: DistillBroker = {
    messageBytesMax: 1_024,
    open(carrier, address) {
      const { promise, resolve } = Promise.withResolvers<void>();
      opened.push({ address, carrier, closed: promise });
      return { message() {}, notBinary() {}, stop() {}, closed: resolve };
    },
  };
  return { broker, opened };
}

/** A client that reads, and answers nothing. */
async function openSilent(port: number, headers: Readonly<Record<string, string>> = {}): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const all = {
    host: 'localhost',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': btoa('0123456789abcdef'),
    ...headers,
  };
  socket.write(
    ['GET /v1/distill HTTP/1.1', ...Object.entries(all).map((pair) => pair.join(': ')), '\r\n'].join('\r\n'),
  );
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
}

it('an IPv6 network is one address for a broker: a host has 2^64 of them', async () => {
  const { broker, opened } = fakeBroker();
  const { port } = await startApi({ broker, trustedProxies: ['127.0.0.1'] });
  for (const host of ['2001:db8:1:2::5', '2001:db8:1:2:ffff::6', '2001:db8:1:3::5']) {
    await openSilent(port, { 'x-forwarded-for': host });
  }
  expect(opened.map(({ address }) => address)).toEqual(['2001:db8:1:2::/64', '2001:db8:1:2::/64', '2001:db8:1:3::/64']);
});

it('a client that answers no ping until the next one is disconnected', () => {
  const due: (() => void)[] = [];
  const after = (_: number, action: () => void) => {
    due.push(action);
    return () => {};
  };
  const clock = { ...realClock, after };
  const listeners = new Map<string, () => void>();
  const calls: string[] = [];
  const call = (name: string) => () => void calls.push(name);
  const on = (event: string, listener: () => void) => void listeners.set(event, listener);
  const socket = { bufferedAmount: 0, send() {}, close() {}, on, terminate: call('terminate'), ping: call('ping') };
  serveDistill({ broker: fakeBroker().broker, clock }, socket as never, { address: '10.0.0.1', pingMs: 30_000 });
  due.shift()?.();
  listeners.get('pong')?.();
  due.shift()?.();
  expect(calls).toEqual(['ping', 'ping']);
  due.shift()?.();
  expect(calls).toEqual(['ping', 'ping', 'terminate']);
  expect(due).toEqual([]);
});

it('a stream that is cut off frees its unsent bytes at once', async () => {
  const { broker, opened } = fakeBroker();
  const { port } = await startApi({ broker });
  const socket = await openSilent(port);
  socket.pause();
  const { carrier, closed } = opened[0] as Opened;
  for (let i = 0; i < 64; i++) carrier.send(new Uint8Array(256 * 1_024));
  expect(carrier.unsentBytes()).toBeGreaterThan(1_024 * 1_024);
  const startedMs = performance.now();
  carrier.terminate();
  await closed;
  expect(performance.now() - startedMs).toBeLessThan(2_000);
  expect(carrier.unsentBytes()).toBe(0);
});
