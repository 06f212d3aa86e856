/** Many accounts in one request, and the SDK on it. */
import type { AnswerOf } from '@slipstream/schema';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../client/src/index.ts';
import { expectAnswer, expectProblem } from './answers.ts';
import { type RunningApi, runApi } from './running-api.ts';

const ONE = `0x01${'22'.repeat(32)}`;
const OTHER = `0x02${'77'.repeat(32)}`;

let api: RunningApi;
beforeAll(async () => {
  api = await runApi();
});
afterAll(() => api.stop());

const ask = (accounts: string) => fetch(`${api.url}/v1/accounts?accounts=${accounts}`);

it('accounts are answered in the order of the question, also one twice, up to 100', async () => {
  const { items } = (await expectAnswer('accounts', await ask(`${OTHER},${ONE},${OTHER}`))) as AnswerOf<'accounts'>;
  expect(items).toMatchObject([
    { account: OTHER, balance: '5', index: 3 },
    { account: ONE, balance: '6', index: 4 },
    { account: OTHER, balance: '7', index: 5 },
  ]);
  const most = await expectAnswer('accounts', await ask(Array(100).fill(ONE).join()));
  expect((most as AnswerOf<'accounts'>).items).toHaveLength(100);
});

it.each([
  ['no list', '/v1/accounts'],
  ['an empty list', '/v1/accounts?accounts='],
  ['a list that ends in a comma', `/v1/accounts?accounts=${ONE},`],
  ['more than 100', `/v1/accounts?accounts=${Array(101).fill(ONE)}`],
])('%s is refused', async (_, path) => {
  await expectProblem(await fetch(`${api.url}${path}`), 400, 'bad-parameter');
});

it('the client asks for many at once', async () => {
  const { items } = await createClient({ url: api.url }).accounts([OTHER, ONE]);
  expect(items.map(({ account, balance }) => [account, balance])).toEqual([
    [OTHER, '5'],
    [ONE, '6'],
  ]);
});
