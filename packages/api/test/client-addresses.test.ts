import { request } from 'node:http';
import { ROUTE_TABLE } from '@slipstream/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClientAddresses, parseTrustedProxy } from '../src/client-addresses.ts';
import { ADMIN_TOKEN, type RunningApi, startApi } from './running-api.ts';

const from = (trusted: readonly string[], remoteAddress: string, header?: string) =>
  createClientAddresses(trusted).of({
    headers: header === undefined ? {} : { 'x-forwarded-for': header },
    socket: { remoteAddress } as never,
  });

describe('the address of a client', () => {
  it.each([
    [
      'of an untrusted sender, whatever its header contains',
      ['10.0.0.1'],
      '203.0.113.9',
      '198.51.100.1',
      '203.0.113.9',
    ],
    ['without trusted proxies', [], '127.0.0.1', '198.51.100.1', '127.0.0.1'],
    ['of a proxy without a header', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
    ['forwarded by a proxy', ['10.0.0.1'], '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['forwarded by a proxy of a network', ['10.0.0.0/8'], '10.9.8.7', '198.51.100.1', '198.51.100.1'],
    ['forwarded by a proxy on a dual-stack socket', ['10.0.0.1'], '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['of IPv6', ['fd00::/8'], 'fd00::5', '2001:db8::1', '2001:db8::1'],
    [
      'to the right of entries that the client wrote',
      ['10.0.0.1'],
      '10.0.0.1',
      '192.0.2.7, 198.51.100.1',
      '198.51.100.1',
    ],
    [
      'behind a chain of proxies',
      ['10.0.0.0/8'],
      '10.0.0.1',
      '192.0.2.7, 198.51.100.1, 10.0.0.3,10.0.0.2',
      '198.51.100.1',
    ],
    ['that is malformed', ['10.0.0.1'], '10.0.0.1', '198.51.100.1, unknown', 'behind 10.0.0.1'],
    ['that is empty', ['10.0.0.1'], '10.0.0.1', '', 'behind 10.0.0.1'],
    ['that claims loopback', ['127.0.0.1'], '127.0.0.1', '127.0.0.2', 'behind 127.0.0.1'],
    ['when all are proxies', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', 'behind 10.0.0.3'],
    ['behind more than sixteen', ['10.0.0.0/8'], '10.0.0.1', `1.2.3.4${',10.0.0.2'.repeat(16)}`, 'behind 10.0.0.1'],
  ])('%s', (_, trusted, socket, header, expected) => {
    expect(from(trusted, socket, header)).toBe(expected);
  });

  it('is never loopback and never throws, whatever the header contains', () => {
    const hop = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constantFrom('127.0.0.1', '::1', '::ffff:127.0.0.1'));
    fc.assert(
      fc.property(fc.array(hop, { maxLength: 20 }), (hops) => {
        expect(from(['10.0.0.0/8'], '10.0.0.1', hops.join(', '))).not.toMatch(/^(127\.|::1$|::ffff:127\.)/);
      }),
    );
  });

  it.each(['proxy.example', '10.0.0.0/33', '10.0.0.0/0', '::/0', '10.0.0.1/8/8', '10.0.0.1/', '', '10.0.0.1/-1'])(
    'rejects "%s" as a trusted proxy',
    (text) => {
      expect(() => parseTrustedProxy(text)).toThrow(RangeError);
    },
  );
});

describe('an API behind a proxy on its machine', () => {
  const limits = { requestsPerSecond: 1, requestsBurst: 3 };
  const { path: AUDIT } = ROUTE_TABLE.audit;

  interface Answer {
    readonly status: number;
    readonly problem: string | undefined;
  }

  function ask(api: RunningApi, forwardedFor: string | undefined, path = '/v1/status', headers = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const forwarded = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
      request({ port: api.port, path, headers: { ...headers, ...forwarded } }, (response) => {
        let text = '';
        response.on('data', (data) => {
          text += data;
        });
        response.on('end', () => {
          const { type } = JSON.parse(text) as { readonly type?: string };
          resolve({ status: response.statusCode ?? 0, problem: type?.replace(/^.*#/, '') });
        });
      })
        .on('error', reject)
        .end();
    });
  }

  async function asked(api: RunningApi, forwardedFor: string, times: number): Promise<readonly number[]> {
    const statuses: number[] = [];
    for (let i = 0; i < times; i++) statuses.push((await ask(api, forwardedFor)).status);
    return statuses;
  }

  it('gives each client its own allowance', async () => {
    const api = await startApi({ trustedProxies: ['127.0.0.0/8'], limits });
    expect(await asked(api, '198.51.100.1', 4)).toEqual([200, 200, 200, 429]);
    expect(await asked(api, '192.0.2.7, 198.51.100.1', 1)).toEqual([429]);
    expect(await asked(api, '198.51.100.2', 1)).toEqual([200]);
  });

  it('ignores the header of an untrusted sender', async () => {
    const api = await startApi({ limits });
    expect(await asked(api, '198.51.100.1', 8)).toEqual(Array(8).fill(200));
  });

  it('does not treat proxied clients as local, neither for rate limits nor for admin routes', async () => {
    const api = await startApi({ trustedProxies: ['127.0.0.1'], limits });
    const authorization = `Bearer ${ADMIN_TOKEN}`;
    for (const forwardedFor of ['127.0.0.1', '198.51.100.1']) {
      expect(await ask(api, forwardedFor, AUDIT, { authorization })).toEqual({ status: 401, problem: 'admin-remote' });
    }
    expect(await ask(api, undefined, AUDIT, { authorization })).toMatchObject({ status: 200 });
    expect(await asked(api, '127.0.0.1', 3)).toEqual([200, 200, 429]);
  });
});
