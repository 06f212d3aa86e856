import { to0x } from '@slipstream/primitives';
import { type CredentialJson, createCheck, ROUTE_TABLE, type RouteName, type SessionView } from '@slipstream/schema';
import {
  asId,
  type Credential,
  credentialCodec,
  type GenesisHash,
  height,
  scopeOf,
  type TransactionId,
} from '@slipstream/types';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { keyPairFrom } from '../../client/src/index.ts';
import type { NodeBackend, SessionState } from '../src/index.ts';
import { type RunningApi, runApi } from './running-api.ts';

const ID = `0x${'ab'.repeat(32)}`;
const device = keyPairFrom(new Uint8Array(32).fill(3));

let backend: Partial<Pick<NodeBackend, 'session' | 'credential' | 'identity'>> = {};
let api: RunningApi;

beforeAll(async () => {
  api = await runApi({
    backend: {
      session: async (id) => backend.session?.(id) ?? { type: 'unknown' },
      credential: async (id) => backend.credential?.(id) ?? { type: 'unknown' },
      identity: async (anchor) => backend.identity?.(anchor) ?? { devices: [anchor], height: height(7) },
    },
  });
});
afterEach(() => {
  backend = {};
});
afterAll(async () => {
  await api.stop();
  expect(api.faults).toEqual([]);
});

const get = (path: string) => fetch(`${api.url}${path}`);

async function answer<T>(name: RouteName, response: Response): Promise<T> {
  expect(response.status).toBe(200);
  const json: unknown = await response.json();
  expect(createCheck(ROUTE_TABLE[name].answers[200] as never)(json)).toEqual({ ok: true, value: json });
  return json as T;
}

async function problem(response: Response, status: number, code: string): Promise<void> {
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  expect({ status: response.status, ...((await response.json()) as object) }).toMatchObject({ status, code });
}

const STATE: SessionState = {
  account: device.account,
  owner: device.account,
  sessionKey: new Uint8Array(32).fill(4),
  scope: scopeOf(['transfer']),
  limit: 2n ** 63n,
  spent: 2n ** 53n + 1n,
  expiryMs: 2_000,
  revoked: false,
  actsHere: true,
  transactionId: asId<TransactionId>(new Uint8Array(32).fill(5)),
  height: height(7),
  nowMs: 1_000,
};

test.each([
  ['active', {}],
  ['expired', { nowMs: 2_000 }],
  ['revoked', { revoked: true, nowMs: 3_000 }],
] as const)('a session is returned as %s, with amounts as exact text', async (status, change) => {
  backend.session = async () => ({ type: 'found', value: { ...STATE, ...change } });
  const view = await answer<SessionView>('session', await get(`/v1/sessions/${ID}`));
  expect(view).toMatchObject({
    id: ID,
    status,
    account: device.accountText,
    spendLimit: '9223372036854775808',
    spent: '9007199254740993',
    scope: ['transfer'],
  });
});

test('a session unknown to this chain is 404, and so is its credential', async () => {
  await problem(await get(`/v1/sessions/${ID}`), 404, 'session-unknown');
  await problem(await get(`/v1/sessions/${ID}/credential`), 404, 'session-unknown');
});

test.each(['0x12', 'ab'.repeat(33), `0x${'zz'.repeat(32)}`, '..%2f..%2fetc', 'x'.repeat(90)])(
  'a malformed id is 400 and costs the node no look-up (%#)',
  async (id) => {
    let asked = 0;
    backend.session = backend.credential = async () => {
      asked++;
      return { type: 'unknown' };
    };
    for (const path of [`/v1/sessions/${id}`, `/v1/sessions/${id}/credential`]) {
      await problem(await get(path), 400, 'bad-parameter');
    }
    expect(asked).toBe(0);
  },
);

test.each([
  ['not-ready', 409, 'proof-not-ready'],
  ['pruned', 410, 'pruned'],
] as const)('a credential that is %s is %d', async (type, status, code) => {
  backend.credential = async () => ({ type });
  await problem(await get(`/v1/sessions/${ID}/credential`), status, code);
});

test('a credential that this chain cannot issue is rejected with the reason', async () => {
  backend.credential = async () => ({ type: 'refused', detail: 'its committee certificate has expired' });
  const response = await get(`/v1/sessions/${ID}/credential`);
  expect(await response.clone().text()).toContain('its committee certificate has expired');
  await problem(response, 409, 'conflict');
});

test('a credential is returned in its parts and as the bytes that transactions carry', async () => {
  const grant = {
    issuer: asId<GenesisHash>(new Uint8Array(32).fill(1)),
    target: asId<GenesisHash>(new Uint8Array(32).fill(2)),
    pseudonym: new Uint8Array(32).fill(6),
    service: 'trading',
    sessionKey: new Uint8Array(32).fill(4),
    scope: scopeOf(['transfer']),
    spendLimit: 2n ** 64n - 1n,
    expiryMs: 2_000,
  };
  const credential: Credential = { grant, root: undefined, proof: new Uint8Array([1, 2, 3]) };
  backend.credential = async () => ({ type: 'found', value: credential });
  const response = await get(`/v1/sessions/${ID}/credential`);
  // It changes when the committee certificate is renewed.
  expect(response.headers.get('cache-control')).toBe('no-cache');
  const body = await answer<CredentialJson>('credential', response);
  expect(body).toMatchObject({ rootKey: null, grant: { service: 'trading', spendLimit: '18446744073709551615' } });
  expect(body.ssz).toBe(to0x(credentialCodec.encode(credential)));
});

test('an identity lists its devices', async () => {
  const view = await answer('identity', await get(`/v1/identities/${device.accountText}`));
  expect(view).toEqual({ anchor: device.accountText, devices: [device.accountText], height: 7 });
  await problem(await get('/v1/identities/nobody'), 400, 'bad-parameter');
});
