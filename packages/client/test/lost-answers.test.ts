/** Submitting and waiting where it is not known whether a node took it in: whoever gave up then and signed anew might pay twice. */
import { type Problem, problem } from '@slipstream/schema';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningApi, runApi } from '../../api/test/running-api.ts';
import { buildTransaction, createClient, generateKeyPair, signTransaction, transfer } from '../src/index.ts';

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

function answerOf(told: Problem): Response {
  return new Response(JSON.stringify(told), { status: told.status });
}

it('is asked for when a node that had it, and knows it no more, calls it expired: a block may be on its way', async () => {
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

/** A node that took the transaction in, and then says `lost` or refuses it; waits go through. */
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
  ['nobody answered', 'expired', true],
  ['nobody answered', 'fee-not-covered', true],
  ['a node took it in and knows it no more', 'fee-not-covered', false],
] as const)(
  'is asked for when %s and what is sent again is refused as %s: a block may be on its way',
  async (_, reason, lost) => {
    const { client, asked } = nodeThatForgets({ reason, lost });
    const waiting = client.submitAndWait(await signed());
    waiting.catch(() => {}); // looked at below
    while (asked.posts < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    api.node.commit();
    expect((await waiting).status).toBe('final');
  },
);

it('is refused at once for what no node could have taken in', async () => {
  const { client, asked } = nodeThatForgets({ reason: 'wrong-genesis', lost: true });
  const refused = { code: 'invalid-transaction', problem: { reason: 'wrong-genesis' } };
  await expect(client.submitAndWait(await signed())).rejects.toMatchObject(refused);
  expect(asked.posts).toBe(2);
});
