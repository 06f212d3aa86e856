import { mkdtempSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROUTE_NAMES, ROUTE_TABLE } from '@slipstream/schema';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addressGroup, createOpenCounter, createRequestLimiter, isLoopback } from '../src/addresses.ts';
import { API_LIMITS, resolveOptions } from '../src/options.ts';
import { createOriginRules } from '../src/origins.ts';
import { type RunningApi, type RunOptions, runApi } from './running-api.ts';

let api: RunningApi;
beforeAll(async () => {
  api = await runApi();
});
afterAll(async () => {
  await api.stop();
  expect(api.faults).toEqual([]);
});

/** What the server sent until it closed, or until `enough` came. */
function exchange(port: number, parts: readonly (string | Uint8Array)[], enough = '\r\n\r\n{'): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (text.includes(enough)) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

async function during<T>(options: RunOptions, use: (running: RunningApi) => Promise<T>): Promise<T> {
  const running = await runApi(options);
  try {
    return await use(running);
  } finally {
    await running.stop();
  }
}

const isServerFault = (status: number) => status >= 500 && status !== 503;

describe('fuzzed requests', () => {
  const posts = ROUTE_NAMES.filter((name) => ROUTE_TABLE[name].method === 'POST');
  const types = fc.constantFrom(
    'application/json',
    'application/octet-stream',
    'text/plain',
    '',
    'application/json; charset=utf-16',
  );

  it('with any JSON on any route that takes a body never cause a 5xx except 503', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...posts), fc.jsonValue({ maxDepth: 4 }), async (name, body) => {
        const path = ROUTE_TABLE[name].path.replace('{peer}', `0x${'11'.repeat(32)}`);
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(api.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
        await response.arrayBuffer();
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(response.status).toBeLessThan(500);
      }),
      { numRuns: 300 },
    );
  });

  it('with any bytes under any content type never cause a 5xx except 503', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...posts),
        types,
        fc.uint8Array({ maxLength: 2_000 }),
        async (name, type, body) => {
          const path = ROUTE_TABLE[name].path.replace('{peer}', 'x');
          const response = await fetch(api.url + path, { method: 'POST', headers: { 'content-type': type }, body });
          await response.arrayBuffer();
          expect(isServerFault(response.status)).toBe(false);
          expect(response.status).toBeGreaterThanOrEqual(400);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('with any path and query never cause a 5xx except 503', async () => {
    const segment = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('latest', '0x00', '..', '%00', '0x01'),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ROUTE_NAMES), segment, segment, segment, async (name, a, key, value) => {
        const { method, path } = ROUTE_TABLE[name];
        const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(a.toWellFormed()));
        const query = `${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`;
        const ended = new AbortController();
        const response = await fetch(`${api.url}${filled}?${query}`, { method, signal: ended.signal });
        expect(isServerFault(response.status)).toBe(false);
        ended.abort();
      }),
      { numRuns: 300 },
    );
  });

  it('that are not HTTP are answered with 400 or closed, and the node continues to serve', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
        const text = await exchange(api.port, ['?', bytes, '\r\n\r\n']);
        if (text !== '') expect(text).toMatch(/^HTTP\/1\.1 4/);
      }),
      { numRuns: 100 },
    );
    expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
  });

  it.each([
    ['nested too deeply', `${'['.repeat(90_000)}${']'.repeat(90_000)}`],
    ['with too many fields', `{${Array.from({ length: 20_001 }, (_, i) => `"${i}":0`)}}`],
  ])('with JSON %s are rejected before parsing', async (_, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${api.url}/v1/transactions`, { method: 'POST', headers, body });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'too-large' });
  });
});

describe('caps', () => {
  it('reject oversized headers with a problem', async () => {
    const text = await exchange(api.port, [`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`]);
    expect(text).toMatch(/^HTTP\/1\.1 413/);
    expect(text).toContain('application/problem+json');
  });

  it('reject a body that exceeds the maximum without having declared its length', async () => {
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const head =
      'POST /v1/faucet HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
    const text = await exchange(api.port, [head, chunk, chunk, '0\r\n\r\n']);
    expect(text).toMatch(/^HTTP\/1\.1 413/);
  });

  it('end requests that arrive too slowly', async () => {
    await during({ limits: { headersTimeoutMs: 300, requestTimeoutMs: 300 } }, async ({ port }) => {
      const text = await exchange(port, ['GET / HTTP/1.1\r\nhost: localhost\r\n']);
      expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    });
  });

  it('end bodies that arrive too slowly, and report a timeout, not a malformed body', async () => {
    await during({ limits: { headersTimeoutMs: 300, requestTimeoutMs: 300 } }, async ({ port }) => {
      const type = 'content-type: application/octet-stream';
      const head = `POST /v1/transactions HTTP/1.1\r\nhost: localhost\r\n${type}\r\ncontent-length: 200\r\n\r\n`;
      const text = await exchange(port, [head, new Uint8Array(100)]);
      expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(text).toContain('"code":"request-timeout"');
    });
  });

  it('hold at most the maximum of connections, and accept new ones when old ones end', async () => {
    await during({ limits: { connectionsMax: 4, connectionsPerAddressMax: 4 } }, async ({ port, url }) => {
      const idle = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'));
      await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
      await expect(fetch(`${url}/healthz`)).rejects.toThrow();
      for (const socket of idle) socket.destroy();
      let status = 0;
      while (status !== 200)
        status = await fetch(`${url}/healthz`).then(
          (response) => response.status,
          () => 0,
        );
    });
  });

  it('answer 503 above the maximum of requests in flight, except to probes, and release their slots', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const backend = { peers: () => held.then(() => []) };
    await during({ backend, limits: { requestsMax: 2 } }, async ({ url }) => {
      const waiting = [fetch(`${url}/v1/peers`), fetch(`${url}/v1/peers`)];
      let status = 200;
      while (status !== 503) status = (await fetch(`${url}/v1/status`)).status;
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      release();
      for (const response of await Promise.all(waiting)) expect(response.status).toBe(200);
      expect((await fetch(`${url}/v1/status`)).status).toBe(200);
    });
  });

  it('count bytes of bodies in flight', async () => {
    await during({ limits: { bodyBytesMax: 100 } }, async ({ url }) => {
      const headers = { 'content-type': 'application/octet-stream' };
      const response = await fetch(`${url}/v1/transactions`, { method: 'POST', headers, body: new Uint8Array(200) });
      expect(response.status).toBe(503);
    });
  });

  it('answer 429 with Retry-After to an address that exceeds its rate', async () => {
    const limits = { requestsBurst: 3, requestsPerSecond: 1, loopbackRequestsPerSecond: 1 };
    await during({ limits }, async ({ url }) => {
      const statuses: number[] = [];
      for (let i = 0; i < 5; i++) statuses.push((await fetch(`${url}/v1/status`)).status);
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      const refused = await fetch(`${url}/v1/status`);
      if (refused.status === 429) expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    });
  });
});

describe('limits per address', () => {
  it('count an IPv6 network as one address, and recognize every form of loopback', () => {
    expect(addressGroup('2001:db8:1:2:3:4:5:6')).toBe(addressGroup('2001:db8:1:2::9'));
    expect(addressGroup('2001:db8:1:2::9')).not.toBe(addressGroup('2001:db8:1:3::9'));
    expect(addressGroup('::ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].every(isLoopback)).toBe(true);
    expect(['10.0.0.1', '::2', '12.7.0.1', ''].some(isLoopback)).toBe(false);
  });

  it('allow a burst, then the configured rate, and forget the least active address', () => {
    let nowMs = 0;
    const limits = { requestsPerSecond: 10, requestsBurst: 2, loopbackRequestsPerSecond: 1_000, addressesMax: 2 };
    const limiter = createRequestLimiter({ monotonicMs: () => nowMs }, limits);
    expect([limiter.take('10.0.0.1'), limiter.take('10.0.0.1'), limiter.take('10.0.0.1')]).toEqual([0, 0, 100]);
    nowMs += 100;
    expect(limiter.take('10.0.0.1')).toBe(0);
    limiter.take('10.0.0.2');
    limiter.take('10.0.0.3');
    expect(limiter.take('10.0.0.1')).toBe(100);
    expect([limiter.take('10.0.0.2'), limiter.take('10.0.0.2')]).toEqual([0, 0]);
  });

  it('release an open slot exactly once', () => {
    const counter = createOpenCounter(3, 1);
    const close = counter.open('10.0.0.1');
    expect(counter.open('10.0.0.1')).toBeUndefined();
    close?.();
    close?.();
    expect(counter.total).toBe(0);
    expect(counter.open('10.0.0.1')).toBeDefined();
  });
});

describe('hosts', () => {
  const rules = createOriginRules('127.0.0.1', ['node.example', 'shop_validator_1'], []);
  const known = [
    'localhost:8080',
    '127.0.0.1',
    '[::1]:8080',
    '10.1.2.3:80',
    'NODE.example:8080',
    'shop_validator_1:8080',
  ];
  it.each(known)('allows %s', (host) => {
    expect(rules.hostAllowed(host)).toBe(true);
  });
  it.each([
    'evil.example',
    'shop_validator_2',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '',
    'a b',
    '[::1',
    'x@localhost',
    undefined,
  ])('rejects %s', (host) => {
    expect(rules.hostAllowed(host)).toBe(false);
  });

  it('rejects a rebound host name with a problem', async () => {
    const status = await new Promise((resolve) => {
      request({ port: api.port, path: '/v1/status', headers: { host: 'evil.example' } }, ({ statusCode }) =>
        resolve(statusCode),
      ).end();
    });
    expect(status).toBe(400);
  });
});

describe("the console's files", () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-console-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>console</title>');
  writeFileSync(join(folder, '.secret'), 'no');
  const page = { headers: { accept: 'text/html' } };

  it('are served with a strict policy; page paths return the index; API paths stay with the API', async () => {
    const warnings: string[] = [];
    const onWarning = ({ name, message }: Error) => void warnings.push(`${name}: ${message}`);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    await during({ consoleFolder: folder }, async ({ url }) => {
      for (const path of ['/', '/index.html', '/blocks/12']) {
        const response = await fetch(url + path, page);
        expect(await response.text()).toContain('console');
        expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
        expect(response.headers.get('cache-control')).toBe('no-cache');
      }
      expect(warnings).toEqual([]);
      for (const path of ['/.secret', '/missing.js', '/v1/nope', '/%00']) {
        const response = await fetch(url + path, page);
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(response.status).toBeLessThan(500);
        expect(response.headers.get('content-type')).toContain('application/problem+json');
      }
      for (const path of ['/..%2f..%2fetc%2fpasswd', '/%2e%2e/%2e%2e/etc/passwd', '/assets/..%5c..%5cetc%5cpasswd']) {
        expect(await (await fetch(url + path, page)).text()).not.toContain('root:');
      }
    });
  });

  it('redirect to the documentation if no folder is configured', async () => {
    const response = await fetch(`${api.url}/`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
  });
});

describe('the page of an origin', () => {
  const { originAllowed } = createOriginRules('127.0.0.1', [], []);
  it.each([
    ['https://node.example', 'node.example:443'],
    ['http://node.example', 'node.example:80'],
    ['https://node.example', 'node.example'],
    ['https://node.example:8443', 'node.example:8443'],
    ['http://[::1]:8080', '[::1]:8080'],
    ['https://node.example', 'NODE.example:443'],
  ])('%s is same-origin for a node reached as %s: proxies may name the default port', (origin, host) => {
    expect(originAllowed(origin, host)).toBe(true);
  });
  it.each([
    ['http://node.example', 'node.example:443'],
    ['https://node.example', 'node.example:80'],
    ['https://evil.example', 'node.example:443'],
    ['null', 'node.example'],
    ['https://node.example', 'node.example@evil.example'],
    ['file://', ''],
  ])('%s is cross-origin to %s', (origin, host) => {
    expect(originAllowed(origin, host)).toBe(false);
  });
});

describe('a request', () => {
  const status = async (lines: string) =>
    (await exchange(api.port, [`GET /v1/status HTTP/1.1\r\n${lines}\r\n`])).split(' ')[1];
  it('with two Host lines is answered 400: a proxy may have routed by the other one', async () => {
    expect(await status('host: localhost\r\nhost: localhost\r\n')).toBe('400');
    expect(await status('host: localhost\r\nHost: evil.example\r\n')).toBe('400');
    expect(await status('host: localhost\r\n')).toBe('200');
  });
});

describe('an idle connection', () => {
  const idleOf = (keepAliveMs: number) => resolveOptions({ limits: { keepAliveMs } }).limits.idleMs;
  it('is not closed by the idle limit before its time, whatever time is set', () => {
    expect(idleOf(API_LIMITS.keepAliveMs)).toBe(API_LIMITS.idleMs);
    expect(idleOf(600_000)).toBeGreaterThan(600_000);
  });

  it('stays open for the configured time', async () => {
    await during({ limits: { keepAliveMs: 60_000 } }, async ({ port }) => {
      const answer = await exchange(port, ['GET /v1/status HTTP/1.1\r\nhost: localhost\r\n\r\n']);
      expect(answer).toMatch(/^keep-alive: timeout=60\b/im);
    });
  });
});
