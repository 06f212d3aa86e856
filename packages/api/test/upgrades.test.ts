/** A refused socket is closed on any route, for any reason, even when the client never closes. */
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startApi } from './running-api.ts';

/** Above a client's second to read an answer. */
const CLOSED_MS_MAX = 2_500;
const STOPPED_MS_MAX = 3_500;

const WEB_SOCKET: Readonly<Record<string, string>> = {
  host: 'localhost',
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': btoa('0123456789abcdef'),
};

/** Without headers of an empty value. */
function upgrade(line: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = Object.entries({ ...WEB_SOCKET, ...headers }).filter(([, value]) => value !== '');
  return [`${line} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '\r\n'].join('\r\n');
}

interface Client {
  readonly socket: Socket;
  readonly untilClosed: Promise<string>;
}

/** Never closes its side. */
function say(port: number, text: string): Client {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let said = '';
  socket.on('data', (data) => {
    said += data.toString('latin1');
  });
  socket.on('error', () => {});
  const untilClosed = new Promise<string>((resolve) => {
    socket.once('end', () => resolve(said));
    socket.once('close', () => resolve(said));
  });
  socket.write(text);
  return { socket, untilClosed };
}

async function closedInTime({ untilClosed }: Client): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('still open'), CLOSED_MS_MAX);
  });
  const said = await Promise.race([untilClosed, late]);
  clearTimeout(timer);
  return said;
}

const REFUSED: readonly (readonly [why: string, text: string, answer: RegExp])[] = [
  ['a route that is no stream', upgrade('GET /v1/status'), /^HTTP\/1\.1 400 .*malformed-request/s],
  ['a route with a body', upgrade('POST /v1/transactions', { 'content-length': '5' }), /^HTTP\/1\.1 400 /],
  ['a probe', upgrade('GET /healthz'), /^HTTP\/1\.1 400 /],
  ['a route that needs a token', upgrade('POST /v1/admin/drain'), /^HTTP\/1\.1 400 /],
  ['no route', upgrade('GET /v1/nothing'), /^HTTP\/1\.1 400 /],
  ['a page of the console', upgrade('GET /'), /^HTTP\/1\.1 400 /],
  ['an address that cannot be decoded', upgrade('GET /v1/%zz'), /^HTTP\/1\.1 400 /],
  ['a parameter that is too long', upgrade(`GET /v1/fleet/${'x'.repeat(300)}/stream`), /^HTTP\/1\.1 4/],
  ['a foreign host', upgrade('GET /v1/stream', { host: 'evil.example' }), /^HTTP\/1\.1 400 .*host-not-allowed/s],
  ['no host', upgrade('GET /v1/stream', { host: '' }), /^HTTP\/1\.1 400 /],
  ['a foreign origin', upgrade('GET /v1/stream', { origin: 'http://evil.example' }), /^HTTP\/1\.1 400 .*origin-not/s],
  ['an unknown topic', upgrade('GET /v1/stream?topics=nonsense'), /^HTTP\/1\.1 400 .*bad-parameter/s],
  ['a node that the fleet does not have', upgrade('GET /v1/fleet/unknown/stream'), /^HTTP\/1\.1 404 /],
  ['another method', upgrade('POST /v1/stream'), /^HTTP\/1\.1 4/],
  ['HEAD', upgrade('HEAD /v1/stream'), /^HTTP\/1\.1 4/],
  ['no key', upgrade('GET /v1/stream', { 'sec-websocket-key': '' }), /^HTTP\/1\.1 400 /],
  ['a malformed key', upgrade('GET /v1/stream', { 'sec-websocket-key': 'short' }), /^HTTP\/1\.1 4/],
  ['an unknown version', upgrade('GET /v1/stream', { 'sec-websocket-version': '7' }), /^HTTP\/1\.1 400 /],
  ['a malformed protocol', upgrade('GET /v1/stream', { 'sec-websocket-protocol': ',' }), /^HTTP\/1\.1 400 /],
  ['CONNECT', upgrade('CONNECT localhost:80'), /^$/],
];

describe('a rejected upgrade closes its socket', () => {
  it.each(REFUSED)('for %s', async (_, text, answer) => {
    const { port } = await startApi();
    expect(await closedInTime(say(port, text))).toMatch(answer);
  });

  it('for an address that exceeds its rate', async () => {
    const { port } = await startApi({
      limits: { requestsBurst: 1, requestsPerSecond: 1, loopbackRequestsPerSecond: 1 },
    });
    const clients = [1, 2, 3].map(() => say(port, upgrade('GET /v1/status')));
    const said = await Promise.all(clients.map(closedInTime));
    expect(said.join()).toContain('HTTP/1.1 429 ');
    expect(said).not.toContain('still open');
  });

  it('for a client that has closed its side', async () => {
    const { port } = await startApi();
    const client = say(port, upgrade('GET /v1/status'));
    client.socket.end();
    expect(await closedInTime(client)).not.toBe('still open');
  });

  it('for a client that does not read the answer, after one whose send buffer is full', async () => {
    const large = ['x'.repeat(32 * 1024 * 1024)];
    const limits = { requestsMax: 2, idleMs: 500 };
    const { port, url } = await startApi({ limits, backend: { peers: async () => large as never } });
    const get = 'GET /v1/peers HTTP/1.1\r\nhost: localhost\r\n\r\n';
    const { socket } = say(port, `${get}${get}${upgrade('GET /v1/stream')}`);
    socket.pause();
    const status = async () => (await fetch(`${url}/v1/status`).catch(() => undefined))?.status;
    while ((await status()) !== 503);
    while ((await status()) !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('after a pipelined request, once both are answered', async () => {
    let answerPeers = () => {};
    const peers = new Promise<[]>((resolve) => {
      answerPeers = () => resolve([]);
    });
    const { port } = await startApi({ backend: { peers: () => peers } });
    const client = say(port, `GET /v1/peers HTTP/1.1\r\nhost: localhost\r\n\r\n${upgrade('GET /v1/status')}`);
    setTimeout(answerPeers, 100);
    expect(await closedInTime(client)).toMatch(/^HTTP\/1\.1 200 .*HTTP\/1\.1 400 /s);
  });

  it('in any number: the connection slots are free again', async () => {
    const { port, url } = await startApi({ limits: { connectionsMax: 8, connectionsPerAddressMax: 8 } });
    for (let round = 0; round < 10; round++) {
      await Promise.all([1, 2, 3].map(() => closedInTime(say(port, upgrade('GET /v1/status')))));
    }
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('for a stream above the maximum, whose reader does not answer the close', async () => {
    const { port } = await startApi({ limits: { streamsMax: 1, streamsPerAddressMax: 1 } });
    const first = say(port, upgrade('GET /v1/stream'));
    await new Promise((resolve) => first.socket.once('data', resolve));
    expect(await say(port, upgrade('GET /v1/stream')).untilClosed).toContain('too many open streams');
  }, 10_000);
});

it('an offer of another protocol is ignored: the request is answered and the connection continues', async () => {
  const { port } = await startApi();
  const body = '{}';
  const h2c = { upgrade: 'h2c', 'content-type': 'application/json', 'content-length': String(body.length) };
  const client = say(port, `${upgrade('POST /v1/transactions', h2c)}${body}`);
  await new Promise((resolve) => client.socket.once('data', resolve));
  client.socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  expect(await closedInTime(client)).toMatch(/^HTTP\/1\.1 400 .*HTTP\/1\.1 200 OK/s);
});

describe('a stop', () => {
  it('is not delayed by clients that never close, whether rejected, open or idle', async () => {
    const api = await startApi();
    const texts = ['', 'GET', upgrade('GET /v1/status'), upgrade('GET /v1/stream'), upgrade('CONNECT localhost:80')];
    const clients = texts.map((text) => say(api.port, text));
    await new Promise((resolve) => clients[3]?.socket.once('data', resolve));
    const startedMs = performance.now();
    await api.stop();
    expect(performance.now() - startedMs).toBeLessThan(STOPPED_MS_MAX);
    await Promise.all(clients.map(({ untilClosed }) => untilClosed));
  });

  it('allows no stream to open that would outlast it', async () => {
    const api = await startApi({ backend: { peers: () => new Promise(() => {}) } });
    const held = say(api.port, 'GET /v1/peers HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const { untilClosed } = held;
    await new Promise((resolve) => setTimeout(resolve, 50));
    const late = say(api.port, '');
    await new Promise((resolve) => late.socket.once('connect', resolve));
    const stopped = api.stop();
    late.socket.write(upgrade('GET /v1/stream'));
    expect(await closedInTime(late)).toContain('"reason":"stopping"');
    await stopped;
    await untilClosed;
  });
});
