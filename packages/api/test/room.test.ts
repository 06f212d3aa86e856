import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { CodedError } from '@slipstream/primitives';
import { expect, onTestFinished, test } from 'vitest';
import { createLoadGuard, type LoadGuard } from '../src/load-guard.ts';
import { realClock, startApi } from './running-api.ts';

/** Reads nothing until it is resumed. */
async function deafClient(port: number, says: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.pause();
  socket.write(says);
  return socket;
}

function nextData(socket: Socket): Promise<string> {
  const came = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
  socket.resume();
  return came;
}

async function statusOnce(url: string, wanted: number): Promise<void> {
  const headers = { connection: 'close' }; // a kept-alive connection would become idle too
  // A machine that stalls for idleMs makes any connection idle.
  const status = async () => (await fetch(url, { headers }).catch(() => undefined))?.status;
  while ((await status()) !== wanted) await new Promise((resolve) => setTimeout(resolve, 20));
}

const LIMITS = { requestsMax: 10, requestsPerAddressMax: 2, bodyBytesMax: 100, bodyBytesPerAddressMax: 30 };
const HERE = '10.0.0.1';
const ELSEWHERE = '10.0.0.2';

function admit(guard: LoadGuard, bytes: number, address: string) {
  const response = new EventEmitter();
  const admitted = guard.admit(response as ServerResponse, bytes, address);
  return { admitted, close: () => response.emit('close') };
}

test('one address has a limited share of requests and body bytes in flight; loopback, used by proxies, has all', () => {
  const guard = createLoadGuard(realClock, LIMITS);
  const first = admit(guard, 30, HERE);
  expect(first.admitted).toBe(true);
  expect(admit(guard, 1, HERE).admitted).toBe(false);
  expect(admit(guard, 0, HERE).admitted).toBe(true);
  expect(admit(guard, 0, HERE).admitted).toBe(false);
  expect(admit(guard, 30, ELSEWHERE).admitted).toBe(true);
  expect(admit(guard, 40, '127.0.0.1').admitted).toBe(true);
  first.close();
  expect(admit(guard, 30, HERE).admitted).toBe(true);
});

test('the body of a request without a route is not awaited', async () => {
  const { port } = await startApi();
  const head = 'content-type: application/json\r\ncontent-length: 1000000\r\n\r\n{';
  const socket = await deafClient(port, `POST /v1/nothing HTTP/1.1\r\nhost: localhost\r\n${head}`);
  const answer = await nextData(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 404/);
  expect(answer).toContain('route-unknown');
});

test('an answer that is not read releases its slot after a while', async () => {
  const large = ['x'.repeat(32 * 1024 * 1024)];
  const limits = { requestsMax: 1, idleMs: 500 };
  const { port, url } = await startApi({ limits, backend: { peers: async () => large as never } });
  await deafClient(port, 'GET /v1/peers HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await statusOnce(`${url}/v1/status`, 503);
  await statusOnce(`${url}/v1/status`, 200);
});

test('a body that is too slow releases its slot, though its client continues to send and never closes', async () => {
  const { port, url } = await startApi({ limits: { requestsMax: 1, headersTimeoutMs: 300, requestTimeoutMs: 300 } });
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const head = 'content-type: application/octet-stream\r\ncontent-length: 60000\r\n\r\n';
  socket.write(`POST /v1/transactions HTTP/1.1\r\nhost: localhost\r\n${head}`);
  const trickle = setInterval(() => socket.write('x'), 50);
  onTestFinished(() => clearInterval(trickle));
  expect(await nextData(socket)).toMatch(/^HTTP\/1\.1 408/);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const answeredMs = performance.now();
  await statusOnce(`${url}/v1/status`, 200);
  expect(performance.now() - answeredMs).toBeLessThan(10_000);
});

const UPGRADE = [
  'GET /v1/stream HTTP/1.1',
  'host: localhost',
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  `sec-websocket-key: ${btoa('0123456789abcdef')}`,
  '\r\n',
].join('\r\n');

test('a reader that never answers does not delay the stop, nor does one above the maximum', async () => {
  const api = await startApi({ limits: { streamsMax: 1, streamsPerAddressMax: 1 } });
  for (let i = 0; i < 2; i++) {
    const socket = await deafClient(api.port, UPGRADE);
    await nextData(socket);
    socket.pause();
  }
  await api.stop();
  await expect(fetch(`${api.url}/healthz`)).rejects.toThrow();
});

test('a full queue of the node is a 503 with Retry-After, not a fault', async () => {
  const full = async () => {
    throw new CodedError('queue-full', 'the queue node-questions holds 4096 messages', {});
  };
  const { url, faults } = await startApi({ backend: { status: full } });
  const response = await fetch(`${url}/v1/status`);
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(await response.json()).toMatchObject({ code: 'overloaded' });
  expect(faults).toEqual([]);
});
