import { createHash } from 'node:crypto';
import { to0x } from '@slipstream/primitives';
import { encodeBatch, type RouteName, transactionToJson, type ValidatorPage } from '@slipstream/schema';
import { blockIdOf, genesisBlock, inclusionProofCodec } from '@slipstream/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTransaction, generateKeyPair, keyPairFrom, signTransaction, transfer } from '../../client/src/index.ts';
import { genesis, genesisHash } from '../../client/test/real-chain.ts';
import { expectAnswer, expectProblem } from './answers.ts';
import { OPEN_PROPOSAL } from './fake-epochs.ts';
import { type RunningApi, runApi, startApi } from './running-api.ts';

const sender = keyPairFrom(new Uint8Array(32).fill(9));
const account = sender.accountText;
const ID = `0x${'ab'.repeat(32)}`;

let api: RunningApi;
beforeAll(async () => {
  api = await runApi();
});
afterAll(async () => {
  await api.stop();
  expect(api.faults).toEqual([]);
});

function signed(amount = 1n) {
  const to = generateKeyPair().accountText;
  const body = buildTransaction({
    genesisHash,
    sender: sender.account,
    expiryMs: 1_900_000_000_000,
    actions: [transfer(to, amount)],
  });
  return signTransaction(body, sender);
}

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${api.url}${path}`, { headers });
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': body instanceof Uint8Array ? 'application/octet-stream' : 'application/json',
      ...headers,
    },
    body:
      body instanceof Uint8Array
        ? (body as Uint8Array<ArrayBuffer>)
        : typeof body === 'string'
          ? body
          : JSON.stringify(body),
  });

describe('reading routes', () => {
  const paths: [RouteName, string][] = [
    ['status', '/v1/status'],
    ['peers', '/v1/peers'],
    ['healthz', '/healthz'],
    ['readyz', '/readyz'],
    ['applications', '/v1/applications'],
    ['account', `/v1/accounts/${account}`],
    ['accounts', `/v1/accounts?accounts=${account}`],
    ['accountTransactions', `/v1/accounts/${account}/transactions?limit=5`],
    ['accountData', `/v1/accounts/${account}/data?name=colour`],
    ['directoryEntry', '/v1/directory/3'],
    ['directoryEntry', '/v1/directory/4294967295'],
    ['directoryEntry', `/v1/directory/${account}`],
    ['blocks', '/v1/blocks?limit=1'],
    ['block', '/v1/blocks/latest'],
    ['block', '/v1/blocks/0'],
    ['block', `/v1/blocks/${to0x(blockIdOf(genesisBlock(genesisHash, genesis.timestampMs)))}`],
    ['blockTransactions', '/v1/blocks/0/transactions'],
    ['blockOutcomes', '/v1/blocks/0/outcomes'],
    ['fees', '/v1/fees'],
    ['committee', '/v1/committee'],
    ['committee', '/v1/committee?epoch=0'],
    ['epochs', '/v1/epochs?limit=5'],
    ['epoch', '/v1/epochs/current'],
    ['epoch', '/v1/epochs/0'],
    ['validators', '/v1/validators?limit=2'],
    ['proposals', '/v1/proposals'],
    ['proposal', `/v1/proposals/${OPEN_PROPOSAL}`],
    ['genesis', '/v1/genesis'],
    ['handovers', '/v1/handovers?from=3&limit=2'],
    ['evidence', '/v1/evidence'],
    ['openapi', '/openapi.json'],
    ['asyncapi', '/asyncapi.json'],
  ];
  it.each(paths)('answer %s at %s as their schema defines, with chain, height and epoch', async (name, path) => {
    const response = await get(path);
    await expectAnswer(name, response);
    expect(response.headers.get('slipstream-chain')).toBe(to0x(genesisHash));
    expect(response.headers.get('slipstream-height')).toMatch(/^[0-9]+$/);
    expect(response.headers.get('slipstream-epoch')).toBe('0');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['/v1/epochs/7', 'epoch-unknown'],
    ['/v1/committee?epoch=7', 'epoch-unknown'],
    [`/v1/validators/${ID}`, 'validator-unknown'],
    [`/v1/validators/0x${'ab'.repeat(48)}`, 'validator-unknown'],
    [`/v1/proposals/${ID}`, 'proposal-unknown'],
  ] as const)('answer %s with 404 %s', async (path, code) => {
    await expectProblem(await get(path), 404, code);
  });

  it('find a validator by its id and by its key', async () => {
    const { items } = (await expectAnswer('validators', await get('/v1/validators'))) as ValidatorPage;
    const { id, blsPublicKey } = items[1] as ValidatorPage['items'][number];
    for (const reference of [id, blsPublicKey]) {
      expect(await expectAnswer('validator', await get(`/v1/validators/${reference}`))).toMatchObject({ id });
    }
  });

  it('name the epoch of the newest committed block', async () => {
    const later = await startApi({ backend: { epoch: () => 3 } });
    expect((await fetch(`${later.url}/v1/status`)).headers.get('slipstream-epoch')).toBe('3');
  });

  it('serve metrics as text', async () => {
    expect(await (await get('/metrics')).text()).toContain('slipstream_up 1');
  });

  it('reject a cursor that no page returned: an empty page would look like the end of the list', async () => {
    const lists = [`/v1/accounts/0x01${'11'.repeat(32)}/transactions`, '/v1/blocks', '/v1/blocks/0/transactions'];
    for (const path of [...lists, '/v1/evidence', '/v1/epochs', '/v1/validators', '/v1/proposals']) {
      const response = await get(`${path}?cursor=no-place`);
      expect(response.status, path).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'bad-parameter', faults: [{ path: '/cursor' }] });
    }
  });

  it('page through blocks with the cursor of the previous page', async () => {
    api.node.commit();
    const first = (await expectAnswer('blocks', await get('/v1/blocks?limit=1'))) as { next: string };
    const second = (await expectAnswer('blocks', await get(`/v1/blocks?limit=1&cursor=${first.next}`))) as {
      items: object[];
    };
    expect(second.items).toHaveLength(1);
  });

  it('make immutable blocks cacheable for ever, and answer 304 to a matching ETag', async () => {
    const id = to0x(blockIdOf(genesisBlock(genesisHash, genesis.timestampMs)));
    const byId = await get(`/v1/blocks/${id}`);
    expect(byId.headers.get('cache-control')).toContain('immutable');
    const etag = byId.headers.get('etag') ?? '';
    const again = await get(`/v1/blocks/${id}`, { 'if-none-match': etag });
    expect(again.status).toBe(304);
    expect((await get('/v1/blocks/0')).headers.get('cache-control')).toBe('no-cache');
    expect((await get('/v1/status')).headers.get('cache-control')).toBe('no-store');
  });

  it('send no-cache for `latest`, also on a chain of value', async () => {
    const ofValue = await startApi({ backend: { genesis: { ...genesis, development: false } } });
    const cacheOf = async (path: string) => (await fetch(`${ofValue.url}${path}`)).headers.get('cache-control');
    expect(await cacheOf('/v1/blocks/0/outcomes')).toContain('immutable');
    for (const path of ['/v1/blocks/latest', '/v1/blocks/latest/outcomes'])
      expect(await cacheOf(path)).toBe('no-cache');
  });

  it.each(['/openapi.json', '/asyncapi.json'])('tag %s by its content', async (path) => {
    const response = await get(path);
    const tag = createHash('sha256')
      .update(await response.text())
      .digest('hex');
    expect(response.headers.get('etag')).toBe(`"${tag}"`);
  });

  it('answer HEAD without a body', async () => {
    const response = await fetch(`${api.url}/v1/status`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  it.each([
    ['/v1/events', 405, 'GET'],
    ['/v1/stream', 400, null],
  ])('answer HEAD of the stream %s with %i, without opening one', async (path, status, allow) => {
    const response = await fetch(`${api.url}${path}`, { method: 'HEAD' });
    expect(response.status).toBe(status);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await response.text()).toBe('');
  });
});

describe('transactions', () => {
  it('are accepted as SSZ and as JSON with the same id, and again with the same id', async () => {
    const transaction = signed();
    const first = await expectAnswer('submitTransaction', await post('/v1/transactions', transaction.bytes), 202);
    const second = await post('/v1/transactions', transactionToJson(transaction.transaction));
    expect(await expectAnswer('submitTransaction', second, 202)).toMatchObject({
      id: transaction.id,
      status: 'pending',
    });
    expect(first).toMatchObject({ id: transaction.id });
  });

  it('are answered with receipt and proof when final in time, and with 202 otherwise', async () => {
    const transaction = signed();
    const waiting = post('/v1/transactions?wait=attested,final&timeoutMs=20000', transaction.bytes);
    const early = await get(`/v1/transactions/${transaction.id}?wait=final&timeoutMs=1`).then((r) => r.status);
    expect([202, 404]).toContain(early);
    while ((await get(`/v1/transactions/${transaction.id}`)).status === 404) await new Promise((r) => setTimeout(r, 5));
    await expectAnswer('transaction', await get(`/v1/transactions/${transaction.id}?wait=final&timeoutMs=1`), 202);
    api.node.commit();
    const view = await expectAnswer('submitTransaction', await waiting, 200);
    expect(view).toMatchObject({ status: 'final', receipt: { status: 'final', transactionId: transaction.id } });
    const proof = await get(`/v1/transactions/${transaction.id}/proof`, { accept: 'application/octet-stream' });
    const decoded = inclusionProofCodec.decode(new Uint8Array(await proof.arrayBuffer()));
    expect(decoded.ok).toBe(true);
    await expectAnswer('transactionProof', await get(`/v1/transactions/${transaction.id}/proof`));
  });

  it('in a batch get one result each', async () => {
    const good = signed();
    const body = { transactions: [to0x(good.bytes), '0x00', to0x(good.bytes)] };
    const answer = await expectAnswer('submitBatch', await post('/v1/transactions/batch', body));
    expect(answer).toMatchObject({
      results: [{ ok: true, id: good.id }, { ok: false, problem: { code: 'malformed-transaction' } }, { ok: true }],
    });
  });

  it('in a batch as bytes get one result each; a truncated batch gets none', async () => {
    const good = signed();
    const batch = encodeBatch([good.bytes, Uint8Array.of(0)]);
    const answer = await expectAnswer('submitBatch', await post('/v1/transactions/batch', batch));
    expect(answer).toMatchObject({
      results: [
        { ok: true, id: good.id },
        { ok: false, problem: { code: 'malformed-transaction' } },
      ],
    });
    for (const wrong of [batch.subarray(0, -1), encodeBatch([]), encodeBatch(Array(1_001).fill(good.bytes))]) {
      await expectProblem(await post('/v1/transactions/batch', wrong), 400, 'malformed-body');
    }
  });

  it('come from the faucet of a development chain', async () => {
    await expectAnswer('faucet', await post('/v1/faucet', { account }), 202);
    await expectProblem(await post('/v1/faucet', { account, amount: '1000000' }), 422, 'invalid-transaction');
    const off = await runApi({ backend: { faucet: undefined } });
    const response = await fetch(`${off.url}/v1/faucet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account }),
    });
    await expectProblem(response, 404, 'faucet-off');
    await off.stop();
  });
});

describe('errors', () => {
  it('report a transaction without a byte as empty', async () => {
    const response = await post('/v1/transactions', new Uint8Array(0));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'malformed-transaction',
      detail: expect.stringContaining('is empty'),
    });
  });

  it.each([3, 7, 50])('explain for %i bytes that are no transaction what is wrong and what to send', async (length) => {
    const response = await post('/v1/transactions', signed().bytes.subarray(0, length));
    const { detail } = (await response.json()) as { readonly detail: string };
    expect(detail).toMatch(
      /^transaction: .+\. Send the canonical SSZ serialization of a transaction, or its JSON form\.$/,
    );
    expect(detail).not.toMatch(/DataView/);
  });

  const cases: [string, () => Promise<Response>, number, string][] = [
    ['a body that is not JSON', () => post('/v1/transactions', '{'), 400, 'malformed-json'],
    ['an empty body', () => post('/v1/transactions', ''), 400, 'malformed-body'],
    ['__proto__', () => post('/v1/faucet', '{"__proto__":{"account":1}}'), 400, 'malformed-json'],
    ['constructor.prototype', () => post('/v1/faucet', '{"constructor":{"prototype":{}}}'), 400, 'malformed-json'],
    ['a field that is missing', () => post('/v1/faucet', {}), 400, 'malformed-body'],
    ['a field too many', () => post('/v1/faucet', { account, more: 1 }), 400, 'malformed-body'],
    ['bytes that are no transaction', () => post('/v1/transactions', new Uint8Array(9)), 400, 'malformed-transaction'],
    ['a parameter that is malformed', () => get('/v1/transactions/0x12'), 400, 'bad-parameter'],
    ['data without a name', () => get(`/v1/accounts/${account}/data`), 400, 'bad-parameter'],
    ['a query that is unknown', () => get('/v1/status?nope=1'), 400, 'bad-parameter'],
    ['a limit that is too large', () => get('/v1/blocks?limit=1000'), 400, 'bad-parameter'],
    ['a query given twice', () => get('/v1/blocks?limit=1&limit=2'), 400, 'bad-parameter'],
    ['an address that cannot be decoded', () => get('/v1/blocks/%E0%A4%A'), 400, 'malformed-request'],
    ['an unknown route', () => get('/v1/nope'), 404, 'route-unknown'],
    ['a transaction that is unknown', () => get(`/v1/transactions/${ID}`), 404, 'transaction-unknown'],
    ['waiting for one that is unknown', () => get(`/v1/transactions/${ID}?wait=final`), 404, 'transaction-unknown'],
    ['a proof of one that is unknown', () => get(`/v1/transactions/${ID}/proof`), 404, 'transaction-unknown'],
    ['an unknown entry of the directory', () => get('/v1/directory/4'), 404, 'entry-unknown'],
    ['an entry without a certificate', () => get('/v1/directory/5'), 409, 'proof-not-ready'],
    ['an index above 32 bits', () => get('/v1/directory/99999999999'), 400, 'bad-parameter'],
    ['the least index above 32 bits', () => get('/v1/directory/4294967296'), 400, 'bad-parameter'],
    ['an unknown block', () => get('/v1/blocks/999'), 404, 'block-unknown'],
    ['an unknown certificate', () => get('/v1/certificates/999'), 404, 'certificate-unknown'],
    ['a pruned certificate', () => get('/v1/certificates/0'), 410, 'pruned'],
    ['unknown data', () => get(`/v1/accounts/${account}/data?name=size`), 404, 'data-unknown'],
    [
      'a data name that no account can have',
      () => get(`/v1/accounts/${account}/data?name=${'%C3%A9'.repeat(20)}`),
      404,
      'data-unknown',
    ],
    [
      'a method that is not there',
      () => fetch(`${api.url}/v1/status`, { method: 'DELETE' }),
      405,
      'method-not-allowed',
    ],
    ['a method that no route has', () => fetch(`${api.url}/v1/status`, { method: 'QUERY' }), 405, 'method-not-allowed'],
    ['a fixed path in the place of a parameter', () => get('/v1/transactions/batch'), 405, 'method-not-allowed'],
    [
      'a preflight of a foreign page',
      () => fetch(`${api.url}/v1/faucet`, { method: 'OPTIONS' }),
      405,
      'method-not-allowed',
    ],
    ['a body that is too large', () => post('/v1/faucet', { account, x: 'x'.repeat(5_000) }), 413, 'too-large'],
    [
      'a type that is not taken',
      () => post('/v1/faucet', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'unsupported-media-type',
    ],
    [
      'a body that is compressed',
      () => post('/v1/transactions', new Uint8Array(9), { 'content-encoding': 'gzip' }),
      415,
      'unsupported-media-type',
    ],
    ['bytes where only JSON is taken', () => post('/v1/faucet', new Uint8Array(9)), 415, 'unsupported-media-type'],
    ['a stream without a WebSocket', () => get('/v1/stream'), 400, 'malformed-request'],
    ['a topic that is unknown', () => get('/v1/events?topics=nope'), 400, 'bad-parameter'],
  ];
  it.each(cases)('answer %s', async (_name, ask, status, code) => {
    await expectProblem(await ask(), status, code);
  });

  it('name the reason why a well-formed transaction is rejected', async () => {
    const transaction = signed();
    const other = { ...transaction.transaction.body, genesisHash: new Uint8Array(32) as typeof genesisHash };
    const response = await post('/v1/transactions', signTransaction(other, sender).bytes);
    expect(await expectProblem(response, 422, 'invalid-transaction')).toMatchObject({ reason: 'wrong-genesis' });
  });

  it('name the allowed methods of a route', async () => {
    const response = await fetch(`${api.url}/v1/transactions`, { method: 'PUT' });
    expect(response.headers.get('allow')).toBe('POST');
  });

  it('turn any error of the node into a logged 503, never another 5xx', async () => {
    const broken = await runApi({
      backend: {
        status: () => Promise.reject(new Error('a fault')),
        submit: () => {
          throw new TypeError('another');
        },
      },
    });
    const answer = await expectProblem(await fetch(`${broken.url}/v1/status`), 503, 'internal');
    expect(JSON.stringify(answer)).not.toContain('a fault');
    const submitted = await fetch(`${broken.url}/v1/transactions`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: new Uint8Array(3),
    });
    await expectProblem(submitted, 503, 'internal');
    expect(submitted.headers.get('retry-after')).toBe('1');
    expect(broken.faults.join()).toContain('a fault');
    await broken.stop();
  });

  it('give the time to wait when the node is overloaded or not ready', async () => {
    const busy = await runApi({
      backend: {
        submit: async () => ({ type: 'overloaded', retryAfterMs: 2_500 }),
        status: async () => ({ ...(await api.node.status()), ready: false, syncing: true }),
      },
    });
    const refused = await fetch(`${busy.url}/v1/transactions`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: new Uint8Array(3),
    });
    expect(refused.headers.get('retry-after')).toBe('3');
    await expectProblem(refused, 503, 'overloaded');
    await expectProblem(await fetch(`${busy.url}/readyz`), 503, 'not-ready');
    await busy.stop();
  });
});
