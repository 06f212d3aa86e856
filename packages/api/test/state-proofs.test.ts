/** Routes with proofs of state, and the SDK on them, against a node that may lie. */
import { to0x } from '@slipstream/primitives';
import type { RouteName } from '@slipstream/schema';
import { genesisToJson } from '@slipstream/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientError, createClient, stateKeys, verifyStateProof } from '../../client/src/index.ts';
import { ALICE, AT, BALANCE, BOB, proofOf } from '../../client/test/proven-state.ts';
import { genesis } from '../../client/test/real-chain.ts';
import type { NodeBackend } from '../src/index.ts';
import { expectAnswer, expectProblem } from './answers.ts';
import { type RunningApi, runApi, startApi } from './running-api.ts';

const chain = genesisToJson(genesis);
const alice = stateKeys.account(ALICE);
const bob = stateKeys.account(BOB);
const ID = `0x${'ab'.repeat(32)}`;

let api: RunningApi;
beforeAll(async () => {
  api = await runApi();
});
afterAll(async () => {
  await api.stop();
  expect(api.faults).toEqual([]);
});

const get = (path: string, url = api.url) => fetch(`${url}${path}`);
const post = (body: unknown, url = api.url) =>
  fetch(`${url}/v1/state/proofs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('routes', () => {
  it('an account is answered with its proof, which a client verifies with the genesis file', async () => {
    const answer = await expectAnswer('account', await get(`/v1/accounts/${ALICE}?proof=true`));
    expect(answer).toMatchObject({ balance: BALANCE.toString(), exists: true, height: AT });
    expect(verifyStateProof(answer, chain, [alice])).toMatchObject({ ok: true });
    const absent = await expectAnswer('account', await get(`/v1/accounts/${BOB}?proof=true&epochsFrom=0`));
    expect(absent).toMatchObject({ balance: '0', exists: false, proof: { epochs: [] } });
    expect(verifyStateProof(absent, chain, [bob])).toMatchObject({ ok: true });
    expect(await expectAnswer('account', await get(`/v1/accounts/${ALICE}?proof=false`))).not.toHaveProperty('proof');
  });

  it('data comes with its proof; what is absent is 404, and proven by its key', async () => {
    const path = `/v1/accounts/${ALICE}/data?name=colour&proof=true`;
    const answer = await expectAnswer('accountData', await get(path));
    expect(verifyStateProof(answer, chain, [stateKeys.data(ALICE, 'colour')])).toMatchObject({ ok: true });
    await expectProblem(await get(`/v1/accounts/${ALICE}/data?name=size&proof=true`), 404, 'data-unknown');
    await expectProblem(await get(`/v1/sessions/${ID}?proof=true`), 404, 'session-unknown');
    await expectProblem(await get(`/v1/validators/${ID}?proof=true`), 404, 'validator-unknown');
    const keys = [stateKeys.data(ALICE, 'size'), stateKeys.session(ID)];
    const proof = await expectAnswer('stateProofs', await post({ keys: keys.map(to0x) }));
    expect(verifyStateProof(proof, chain, keys)).toMatchObject({ ok: true, value: { values: [undefined, undefined] } });
  });

  it('64 keys have one height and one certificate', async () => {
    const keys = Array.from({ length: 64 }, (_, i) => stateKeys.account(`0x01${i.toString(16).padStart(64, '0')}`));
    const texts = keys.map((key) => to0x(key).toUpperCase().replace('0X', '0x'));
    const proof = await expectAnswer('stateProofs', await post({ keys: texts, epochsFrom: 0 }));
    expect(verifyStateProof(proof, chain, keys)).toMatchObject({ ok: true, value: { height: AT } });
  });

  const malformed: readonly (readonly [string, unknown])[] = [
    ['no keys', {}],
    ['an empty list', { keys: [] }],
    ['65 keys', { keys: Array.from({ length: 65 }, (_, i) => `0x${i.toString(16).padStart(4, '0')}`) }],
    ['an empty key', { keys: ['0x'] }],
    ['a key of 64 bytes', { keys: [`0x${'ab'.repeat(64)}`] }],
    ['half a byte', { keys: ['0x123'] }],
    ['no hexadecimal', { keys: ['0xzz'] }],
    ['a key twice', { keys: ['0xab', '0xAB'] }],
    ['another field', { keys: ['0xab'], more: 1 }],
    ['an epoch that is none', { keys: ['0xab'], epochsFrom: -1 }],
  ];
  it.each(malformed)('%s is a malformed body', async (_, body) => {
    await expectProblem(await post(body), 400, 'malformed-body');
  });

  it('a proof parameter that is none is refused, and one where there is no proof', async () => {
    await expectProblem(await get(`/v1/accounts/${ALICE}?proof=yes`), 400, 'bad-parameter');
    await expectProblem(await get('/v1/fees?proof=true'), 400, 'bad-parameter');
  });

  const refusals: readonly (readonly [string, Awaited<ReturnType<NodeBackend['proven']['keys']>>, number, string])[] = [
    ['no certificate covers the height', { type: 'not-ready' }, 409, 'proof-not-ready'],
    ['the values are too large', { type: 'too-large' }, 413, 'too-large'],
    ['the node has halted', { type: 'stopped' }, 503, 'not-ready'],
    ['another key shares the prefix', { type: 'shared-prefix', key: bob }, 409, 'conflict'],
  ];
  it.each(refusals)('is refused when %s', async (_, outcome, status, code) => {
    const proven = { ...api.node.proven, keys: async () => outcome, account: async () => outcome as never };
    const { url } = await startApi({ backend: { proven } });
    await expectProblem(await post({ keys: [to0x(alice)] }, url), status, code);
    await expectProblem(await get(`/v1/accounts/${ALICE}?proof=true`, url), status, code);
  });

  it('is overloaded when too many proofs wait', async () => {
    const full = async () => {
      throw Object.assign(new Error('full'), { code: 'queue-full' });
    };
    const { url } = await startApi({ backend: { proven: { ...api.node.proven, keys: full } } });
    const response = await post({ keys: [to0x(alice)] }, url);
    expect(response.headers.get('retry-after')).toBe('1');
    await expectProblem(response, 503, 'overloaded');
  });
});

describe('the SDK', () => {
  const clientOf = (url = api.url, options = {}) => createClient({ url, chain, ...options });

  it('answers proven accounts, data and sessions, present or absent, and remembers the height', async () => {
    const client = clientOf();
    expect(client.proven.height()).toBe(0);
    const account = await client.account(ALICE, { proven: true });
    expect(account).toMatchObject({ account: ALICE, balance: BALANCE.toString(), exists: true, height: AT });
    expect(account.shown.steps.at(-1)).toMatchObject({ name: 'signature', outcome: 'passed' });
    expect(await client.account(BOB, { proven: true })).toMatchObject({ balance: '0', exists: false });
    expect(await client.accountData(ALICE, 'colour', { proven: true })).toMatchObject({ value: '0x010203' });
    expect(await client.accountData(ALICE, 'size', { proven: true })).toMatchObject({ value: null });
    expect(await client.session.show(ID, { proven: true })).toMatchObject({ id: ID, record: undefined, height: AT });
    expect((await client.proven.state([alice, bob])).entries).toHaveLength(2);
    expect(client.proven.height()).toBe(AT);
    expect((await client.account(ALICE)).balance).toBe('5');
  });

  /** `unproven`, and the step. */
  async function refusalOf(call: Promise<unknown>): Promise<unknown> {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ClientError)) return error;
    return error.code === 'unproven' ? error.data.step : error.code;
  }

  it('needs the genesis file, keys that are ones, and refuses another chain', async () => {
    expect(await refusalOf(createClient({ url: api.url }).account(ALICE, { proven: true }))).toBe('bad-argument');
    expect(await refusalOf(clientOf(api.url, { chain: {} }).account(ALICE, { proven: true }))).toBe('bad-argument');
    expect(await refusalOf(clientOf().account('0x12', { proven: true }))).toBe('bad-argument');
    const other = { ...chain, chain: 'another' };
    expect(await refusalOf(clientOf(api.url, { chain: other }).account(ALICE, { proven: true }))).toBe('digests');
  });

  it('refuses a balance that the proof does not show, whether the answer or the proof lies', async () => {
    const { proven } = api.node;
    const answers = async (lie: Partial<NodeBackend['proven']>) => {
      const { url } = await startApi({ backend: { proven: { ...proven, ...lie } } });
      return refusalOf(clientOf(url).account(ALICE, { proven: true }));
    };
    const account: typeof proven.account = async (key) => {
      const found = await proven.account(key);
      return found.type === 'proven' ? { ...found, value: { ...found.value, balance: 10n ** 9n } } : found;
    };
    expect(await answers({ account })).toBe('claims');
    const another: typeof proven.account = async (key) => {
      const found = await proven.account(key);
      return found.type === 'proven' ? { ...found, proof: proofOf([bob]) } : found;
    };
    expect(await answers({ account: another })).toBe('keys');
  });

  it('R15: accepts no height below the last proven one, nor below the one it is given', async () => {
    let at = AT + 40;
    const keys: NodeBackend['proven']['keys'] = async (asked) => ({
      type: 'proven',
      value: undefined,
      proof: proofOf(asked, { at }),
    });
    const { url } = await startApi({ backend: { proven: { ...api.node.proven, keys } } });
    const client = clientOf(url);
    await client.proven.state([alice]);
    at = AT;
    expect(await refusalOf(client.proven.state([alice]))).toBe('height');
    expect(client.proven.height()).toBe(AT + 40);
    expect(await refusalOf(clientOf(url, { provenHeightMin: AT + 1 }).proven.state([alice]))).toBe('height');
    await clientOf(url, { provenHeightMin: AT }).proven.state([alice]);
  });
});

it('each route with a proof names its problems', async () => {
  const routes: readonly RouteName[] = ['account', 'accountData', 'session', 'validator', 'stateProofs'];
  const { paths } = (await (await get('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId: string; responses: object }>>;
  };
  const responses = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .filter(({ operationId }) => routes.includes(operationId as RouteName));
  expect(responses).toHaveLength(routes.length);
  for (const route of responses) expect(Object.keys(route.responses)).toContain('409');
});
