/** Whether a node accepted is unknown: a caller that signs again might pay twice. */
import { type Problem, problem } from '@slipstream/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApi, runApi } from '../../api/test/running-api.ts';
import {
  buildTransaction,
  type Client,
  ClientError,
  createClient,
  generateKeyPair,
  type SignedTransaction,
  signTransaction,
  transfer,
} from '../src/index.ts';
import { submitAndWait } from '../src/submit-and-wait.ts';

let api: RunningApi;
beforeAll(async () => {
  api = await runApi();
});
afterAll(() => api.stop());

async function signed() {
  const sender = generateKeyPair();
  const genesisHash = await createClient({ url: api.url }).genesisHash();
  const actions = [transfer(generateKeyPair().accountText, 5n)];
  const expiryMs = Date.now() + 30_000;
  return signTransaction(buildTransaction({ genesisHash, sender: sender.account, expiryMs, actions }), sender);
}

function answerOf(body: Problem): Response {
  return new Response(JSON.stringify(body), { status: body.status });
}

it('is polled when a node that lost it calls it expired: a block may contain it', async () => {
  const transaction = await signed();
  const answers: (string | undefined)[] = [undefined, 'unknown', 'expired', 'unknown', 'expired', undefined];
  let asked = 0;
  const forgetful = createClient({
    url: api.url,
    async fetch(url, init) {
      const answer = answers[asked++];
      if (answer === undefined) return fetch(url, init);
      const code = answer === 'unknown' ? 'transaction-unknown' : 'invalid-transaction';
      return answerOf(problem(code, answer === 'expired' ? { reason: 'expired' } : {}));
    },
  });
  const waiting = forgetful.submitAndWait(transaction);
  while (asked < answers.length) await new Promise((resolve) => setTimeout(resolve, 5));
  api.node.commit();
  expect((await waiting).status).toBe('final');
  answers.splice(1, answers.length, ...Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'unknown' : 'expired')));
  asked = 0;
  await expect(forgetful.submitAndWait(await signed(), { timeoutMs: 700 })).rejects.toMatchObject({
    code: 'invalid-transaction',
    problem: { reason: 'expired' },
  });
});

/** Accepts the transaction, then answers `lost` or refuses; waits succeed. */
function nodeThatForgets({ reason, lost }: { readonly reason: Problem['reason']; readonly lost: boolean }) {
  const asked = { posts: 0, gets: 0 };
  const client = createClient({
    url: api.url,
    async fetch(url, init) {
      const isPost = init.method === 'POST';
      const isFirst = (isPost ? asked.posts++ : asked.gets++) === 0;
      if (isPost && !isFirst) return answerOf(problem('invalid-transaction', reason === undefined ? {} : { reason }));
      if (!isPost && isFirst && !lost) return answerOf(problem('transaction-unknown'));
      const answer = await fetch(url, init);
      if (isPost && lost) throw new Error('the connection was cut');
      return answer;
    },
  });
  return { client, asked };
}

it.each([
  ['no node answered', 'expired', true],
  ['no node answered', 'fee-not-covered', true],
  ['a node accepted it and has lost it', 'fee-not-covered', false],
] as const)(
  'is polled when %s and the resubmission is rejected as %s: a block may contain it',
  async (_, reason, lost) => {
    const { client, asked } = nodeThatForgets({ reason, lost });
    const waiting = client.submitAndWait(await signed());
    waiting.catch(() => {});
    while (asked.posts < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    api.node.commit();
    expect((await waiting).status).toBe('final');
  },
);

it.each([500, 200, 404, 520])(
  'is polled when a proxy answers with its own page, status %i, after a node accepted it',
  async (status) => {
    let pages = 3;
    const behindProxy = createClient({
      url: api.url,
      async fetch(url, init) {
        const isPage = init.method === 'GET' && url.includes('/transactions/') && pages-- > 0;
        return isPage ? new Response('<html>', { status }) : fetch(url, init);
      },
    });
    const waiting = behindProxy.submitAndWait(await signed());
    waiting.catch(() => {});
    while (pages > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    api.node.commit();
    expect((await waiting).status).toBe('final');
  },
);

it('is submitted again when a proxy answers a server error with its own page: a node may have accepted it', async () => {
  let posts = 0;
  const behindProxy = createClient({
    url: api.url,
    async fetch(url, init) {
      const answer = await fetch(url, init);
      return init.method === 'POST' && posts++ === 0 ? new Response('<html>', { status: 520 }) : answer;
    },
  });
  const waiting = behindProxy.submitAndWait(await signed());
  waiting.catch(() => {});
  while (posts < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 50));
  api.node.commit();
  expect((await waiting).status).toBe('final');
});

it('is rejected at once if no node could have accepted it', async () => {
  const { client, asked } = nodeThatForgets({ reason: 'wrong-genesis', lost: true });
  const refused = { code: 'invalid-transaction', problem: { reason: 'wrong-genesis' } };
  await expect(client.submitAndWait(await signed())).rejects.toMatchObject(refused);
  expect(asked.posts).toBe(2);
});

const EXPIRED = new ClientError('invalid-transaction', 'expired', { problem: { reason: 'expired' } });

/** Submissions end with these errors in turn, then are accepted; every queried transaction is final. */
function clientThatThrows(...errors: readonly ClientError[]): Client {
  const left = [...errors];
  const client = {
    async submit({ id }: SignedTransaction) {
      const error = left.shift();
      if (error !== undefined) throw error;
      return { id, status: 'pending' };
    },
    transaction: async (id: string) => ({ id, status: 'final' }),
  };
  return client as unknown as Client;
}

describe('a transaction whose answer came', () => {
  it('too late may be accepted: it is polled, though it is called expired', async () => {
    const client = clientThatThrows(new ClientError('timeout', 'the answer was lost'), EXPIRED);
    expect((await submitAndWait(client, await signed())).status).toBe('final');
  });

  it('is not accepted if every node rejected it: then expired is final', async () => {
    const refused = new ClientError('overloaded', 'not taken in');
    await expect(submitAndWait(clientThatThrows(refused, EXPIRED), await signed())).rejects.toBe(EXPIRED);
  });

  it('is polled when the node has it with another authority', async () => {
    const client = clientThatThrows(new ClientError('conflict', 'known with another signature'));
    expect((await submitAndWait(client, await signed())).status).toBe('final');
  });
});
