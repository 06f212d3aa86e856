/** The next node answers for one that does not, and nothing is paid twice. */
import { type Problem, problem } from '@slipstream/schema';
import { beforeEach, describe, expect, it } from 'vitest';
import { type RunningApi, startApi } from '../../api/test/running-api.ts';
import {
  buildTransaction,
  type Client,
  type ConnectionState,
  createClient,
  generateKeyPair,
  signTransaction,
  transfer,
} from '../src/index.ts';

const DOWN = 'http://127.0.0.1:1';

let a: RunningApi;
let b: RunningApi;
let genesisHash: string;
/** `METHOD route of node`, in order. */
let asked: string[];
/** Undefined: the node answers. */
let instead: (name: 'a' | 'b', init: RequestInit, url: string) => Response | 'lost' | undefined;

beforeEach(async () => {
  [a, b] = [await startApi(), await startApi()];
  ({ genesisHash } = await createClient({ url: a.url }).status());
  asked = [];
  instead = () => undefined;
});

function clientOf(url: string | readonly string[] = [a.url, b.url]): Client {
  return createClient({
    url,
    genesisHash,
    async fetch(target, init) {
      const name = target.startsWith(a.url) ? 'a' : 'b';
      const replaced = instead(name, init, target);
      asked.push(`${init.method} ${new URL(target).pathname.split('/')[2]} of ${name}`);
      if (replaced === undefined) return fetch(target, init);
      if (replaced !== 'lost') return replaced;
      await fetch(target, init).catch(() => {});
      throw new Error('the connection was cut');
    },
  });
}

function answerOf(body: Problem): Response {
  return new Response(JSON.stringify(body), { status: body.status });
}

async function signed(client: Client) {
  const sender = generateKeyPair();
  const actions = [transfer(generateKeyPair().accountText, 5n)];
  const parts = {
    genesisHash: await client.genesisHash(),
    sender: sender.account,
    expiryMs: Date.now() + 30_000,
    actions,
  };
  return signTransaction(buildTransaction(parts), sender);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a read', () => {
  it('fails over to a node that answers, and stays with it', async () => {
    const client = clientOf([DOWN, b.url]);
    expect((await client.fees()).windowBlocks).toBeGreaterThan(0);
    expect(client.url).toBe(b.url);
    asked.length = 0;
    await client.fees();
    expect(asked).toEqual(['GET fees of b']);
  });

  it('accepts no answer of a node of another chain', async () => {
    const status = await createClient({ url: a.url }).status();
    instead = (name, _, url) =>
      name === 'a' && url.endsWith('/status')
        ? Response.json({ ...status, genesisHash: `0x${'5a'.repeat(32)}` })
        : undefined;
    const client = clientOf();
    await client.fees();
    expect(client.url).toBe(b.url);
    expect(asked).not.toContain('GET fees of a');
    await expect(clientOf([a.url]).genesisHash()).rejects.toMatchObject({ code: 'wrong-chain' });
  });

  it('is not sent to a node that rejects this client before it has named its chain', async () => {
    instead = (name) => (name === 'a' ? answerOf(problem('host-not-allowed')) : undefined);
    const client = clientOf();
    await client.fees();
    expect(client.url).toBe(b.url);
    instead = (name) => (name === 'b' ? answerOf(problem('rate-limited')) : undefined);
    await expect(client.fees()).rejects.toMatchObject({ code: 'rate-limited' });
  });

  it('throws a temporary error when no node answers, and a rejection of a node at once', async () => {
    await expect(clientOf([DOWN, 'http://127.0.0.1:2']).fees()).rejects.toMatchObject({ retryable: true });
    await expect(clientOf().certificates(0)).rejects.toMatchObject({ code: 'pruned' });
    expect(asked.filter((line) => line.startsWith('GET certificates'))).toEqual(['GET certificates of a']);
  });

  it('ends with the signal of the caller, and is sent to no other node then', async () => {
    await expect(clientOf().fees({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    expect(asked.filter((line) => line.endsWith('of b'))).toEqual([]);
  });
});

describe('a write', () => {
  it('is not sent to a second node after a lost answer: only the caller can know whether that is safe', async () => {
    const client = clientOf();
    const transaction = await signed(client);
    instead = (name, { method }) => (name === 'a' && method === 'POST' ? 'lost' : undefined);
    await expect(client.submit(transaction)).rejects.toMatchObject({ code: 'network' });
    await expect(client.submit(transaction)).resolves.toMatchObject({ id: transaction.id });
    expect(asked.filter((line) => line.startsWith('POST'))).toEqual([
      'POST transactions of a',
      'POST transactions of b',
    ]);
  });

  it('to the faucet pays once when its answer was lost', async () => {
    const client = clientOf();
    instead = (name, { method }) => (name === 'a' && method === 'POST' ? 'lost' : undefined);
    await expect(client.faucet(generateKeyPair().accountText)).rejects.toMatchObject({ code: 'network' });
    expect(asked.filter((line) => line.startsWith('POST'))).toEqual(['POST faucet of a']);
  });

  it('is sent to the next node when a node rejected it without processing it', async () => {
    const client = clientOf();
    const transaction = await signed(client);
    instead = (name, { method }) => (name === 'a' && method === 'POST' ? answerOf(problem('not-ready')) : undefined);
    expect((await client.submit(transaction)).id).toBe(transaction.id);
    expect(client.url).toBe(b.url);
  });

  it('of an operator requires a client of a single node', async () => {
    await expect(clientOf().drain()).rejects.toMatchObject({ code: 'bad-argument' });
  });
});

describe('submitting and waiting', () => {
  it('ends at another node when the first dies after it accepted the transaction', async () => {
    const client = clientOf();
    const seen: string[] = [];
    const transaction = await signed(client);
    const waiting = client.submitAndWait(transaction, { onStatus: ({ status }) => seen.push(status) });
    await until(() => seen.length > 0);
    await a.stop();
    await until(() => asked.includes('POST transactions of b'));
    await until(() => asked.filter((line) => line === 'GET transactions of b').length > 1);
    b.node.commit();
    expect(await waiting).toMatchObject({ id: transaction.id, status: 'final' });
  });

  it('does not end with the rejection of another node when the first may have accepted it', async () => {
    const client = clientOf();
    const transaction = await signed(client);
    let isBack = false;
    instead = (name, { method }, url) => {
      if (method === 'POST')
        return name === 'a' ? 'lost' : answerOf(problem('invalid-transaction', { reason: 'fee-not-covered' }));
      const isAway = name === 'b' || !isBack;
      return isAway && url.includes('/transactions/') ? answerOf(problem('internal')) : undefined;
    };
    const waiting = client.submitAndWait(transaction);
    waiting.catch(() => {});
    await until(() => asked.includes('POST transactions of b'));
    isBack = true;
    await until(() => asked.at(-1) === 'GET transactions of a');
    a.node.commit();
    expect((await waiting).status).toBe('final');
  });
});

it('the event stream continues with the next node from its full state', async () => {
  const connection: ConnectionState[] = [];
  let states = 0;
  const stream = clientOf().events({ onState: () => states++, onConnection: (state) => connection.push(state) });
  await until(() => states === 1);
  await a.stop();
  await until(() => states === 2);
  expect(connection.at(-1)).toEqual({ type: 'live', resumed: false });
  stream.close();
});

it('a state of another chain is not delivered', async () => {
  const reasons: string[] = [];
  let states = 0;
  const other = createClient({ url: a.url, genesisHash: `0x${'5a'.repeat(32)}` });
  const stream = other.events({
    onState: () => states++,
    onConnection: (state) => state.type === 'lost' && reasons.push(state.reason),
  });
  await until(() => reasons.length > 1);
  stream.close();
  expect(states).toBe(0);
  expect(reasons[0]).toContain('not a node of the chain 0x5a5a');
});

it('several nodes require the chain that they belong to', () => {
  expect(() => createClient({ url: [a.url, b.url] })).toThrow('genesis hash');
  expect(() => createClient({ url: [] })).toThrow('1 to 64 nodes');
});

it('a malformed address is reported at once, not when that node is used', () => {
  for (const url of ['', 'node.example', 'ftp://node.example', 'http://', 'ws://node.example', 'http://a:b:c']) {
    expect(() => createClient({ url: [a.url, url], genesisHash })).toThrow('is no address of a node');
  }
});
