import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamEvent } from '@slipstream/schema';
import { genesisToJson, type Transaction } from '@slipstream/types';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PEER } from '../../api/test/fake-node.ts';
import { ADMIN_TOKEN, type RunningApi, runApi } from '../../api/test/running-api.ts';
import {
  buildTransaction,
  type Client,
  ClientError,
  type ConnectionState,
  createClient,
  generateKeyPair,
  keyPairFrom,
  signTransaction,
  transfer,
  verifyProof,
} from '../src/index.ts';
import { genesis } from './real-chain.ts';

let api: RunningApi;
let client: Client;
beforeAll(async () => {
  api = await runApi();
  client = createClient({ url: api.url, token: ADMIN_TOKEN });
});
afterAll(() => api.stop());

const sender = keyPairFrom(new Uint8Array(32).fill(9));

async function signed(of = client, expiryMs = Date.now() + 30_000) {
  const actions = [transfer(generateKeyPair().accountText, 5n)];
  return signTransaction(
    buildTransaction({ genesisHash: await of.genesisHash(), sender: sender.account, expiryMs, actions }),
    sender,
  );
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'no error';
  } catch (error) {
    return error instanceof ClientError ? error.code : `not a ClientError: ${String(error)}`;
  }
}

describe('the client', () => {
  it('carries a transfer from a key to a proof that verifies against the genesis the node serves', async () => {
    const transaction = await signed();
    const seen: string[] = [];
    const waiting = client.submitAndWait(transaction, { onStatus: ({ status }) => seen.push(status) });
    while (!seen.includes('pending')) await new Promise((resolve) => setTimeout(resolve, 5));
    api.node.commit();
    const view = await waiting;
    expect(seen).toEqual(['pending', 'final']);
    expect(view).toMatchObject({ id: transaction.id, status: 'final', receipt: { status: 'final' } });
    const servedGenesis = await client.genesis();
    expect(servedGenesis).toEqual(genesisToJson(genesis));
    expect(verifyProof(view.proof, servedGenesis).ok).toBe(true);
    expect(verifyProof(view, servedGenesis).ok).toBe(true);
    expect(verifyProof(await client.proof(transaction.id), servedGenesis).ok).toBe(true);
  });

  it('reads accounts, blocks, certificates, committee, fees and peers', async () => {
    expect((await client.account(sender.accountText)).balance).toBe('5');
    expect((await client.accountTransactions(sender.accountText)).items).toEqual([]);
    expect((await client.accountData(sender.accountText, 'colour')).value).toBe('0x01');
    expect((await client.block('latest')).status).toBe('final');
    expect((await client.blocks({ limit: 1 })).items).toHaveLength(1);
    expect((await client.blockTransactions(0)).items).toEqual([]);
    expect((await client.blockOutcomes(0)).success).toMatch(/^0x(07){32}$/);
    expect((await client.committee()).quorumWeight).toBe(3);
    expect((await client.committee({ epoch: 0 })).epoch).toBe(0);
    expect((await client.epochs()).items).toHaveLength(1);
    expect((await client.epoch('current')).members).toHaveLength(4);
    const [validator] = (await client.validators({ limit: 1 })).items;
    expect((await client.validators({ limit: 1, waiting: true })).items).toEqual([]);
    expect(await client.validator(validator?.blsPublicKey ?? '')).toEqual(validator);
    const [proposal] = (await client.proposals()).items;
    expect(await client.proposal(proposal?.id ?? '')).toEqual(proposal);
    expect((await client.fees()).prices.bandwidth).toBe('0');
    expect((await client.peers()).items[0]?.peer).toBe(PEER);
    expect((await client.faucet(sender.accountText, { amount: 3n })).status).toBe('pending');
  });

  it.each(['.', '..', '%2e%2e', '../..', 'a/b', 'a//b', ' ', '+', '?', '#', '&x=1', '\\', 'é', '\u0000', '__proto__'])(
    'reads data under any name: %j',
    async (name) => {
      expect(await client.accountData(sender.accountText, name)).toMatchObject({ name, value: '0x01' });
    },
  );

  it('blocks and unblocks a peer with the token, and sends the token with no other request', async () => {
    await client.blockPeer(PEER, 'test');
    expect((await client.peers()).items[0]?.blocked).toMatchObject({ by: 'operator' });
    await client.unblockPeer(PEER);
    expect(await codeOf(createClient({ url: api.url }).blockPeer(PEER))).toBe('unauthorized');
    const headers: unknown[] = [];
    const spy = createClient({
      url: api.url,
      token: ADMIN_TOKEN,
      fetch: (url, init) => {
        headers.push(init.headers);
        return fetch(url, init);
      },
    });
    await spy.status();
    expect(JSON.stringify(headers)).not.toContain(ADMIN_TOKEN);
  });

  it('throws the problem codes of the node as ClientErrors', async () => {
    expect(await codeOf(client.transaction(`0x${'00'.repeat(32)}`))).toBe('transaction-unknown');
    expect(await codeOf(client.certificates(0))).toBe('pruned');
    expect(await codeOf(client.submit(new Uint8Array(4)))).toBe('malformed-transaction');
    const { transaction } = await signed();
    const foreign = { ...transaction.body, genesisHash: new Uint8Array(32) } as Transaction['body'];
    await expect(client.submit(signTransaction(foreign, sender))).rejects.toMatchObject({
      code: 'invalid-transaction',
      problem: { reason: 'wrong-genesis' },
      retryable: false,
    });
  });

  it('distinguishes no answer, a late one, a malformed one and an aborted call', async () => {
    const unresponsive = createServer();
    const foreign = createServer((_request, response) => response.end('<html>'));
    for (const server of [unresponsive, foreign])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const urlOf = (server: typeof unresponsive) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await codeOf(createClient({ url: urlOf(unresponsive), timeoutMs: 50 }).status())).toBe('timeout');
    expect(await codeOf(createClient({ url: urlOf(foreign) }).status())).toBe('malformed-answer');
    expect(await codeOf(client.status({ signal: AbortSignal.abort() }))).toBe('aborted');
    const closedUrl = urlOf(unresponsive);
    unresponsive.closeAllConnections();
    for (const server of [unresponsive, foreign]) await new Promise((resolve) => server.close(resolve));
    expect(await codeOf(createClient({ url: closedUrl }).status())).toBe('network');
  });

  it('reports no answer from a node when a proxy answers, and treats null as no answer', async () => {
    const answering = (status: number, body: string, headers: Record<string, string> = {}) =>
      createClient({ url: api.url, fetch: async () => new Response(body, { status, headers }) }).status();
    for (const status of [408, 429, 502, 503, 504]) {
      await expect(answering(status, '<html>')).rejects.toMatchObject({ code: 'network', retryable: true });
    }
    await expect(answering(503, '', { 'retry-after': '2' })).rejects.toMatchObject({ retryAfterMs: 2_000 });
    await expect(answering(503, '', { 'retry-after': '9999' })).rejects.toMatchObject({ retryAfterMs: 30_000 });
    expect(await codeOf(answering(404, '<html>'))).toBe('malformed-answer');
    expect(await codeOf(answering(200, 'null'))).toBe('malformed-answer');
    expect(await codeOf(answering(200, '{"status":"ok"}'))).toBe('malformed-answer');
    const nothing = createClient({ url: api.url, fetch: async () => new Response('null') });
    expect(await codeOf(nothing.genesisHash())).toBe('malformed-answer');
  });

  it('signs for the configured chain, not for another one that a node names', async () => {
    const meant = `0x${'5a'.repeat(32)}`;
    expect(await codeOf(createClient({ url: api.url, genesisHash: meant }).genesisHash())).toBe('wrong-chain');
    const { genesisHash } = await client.status();
    expect(await createClient({ url: api.url, genesisHash }).genesisHash()).toEqual(await client.genesisHash());
    expect(() => createClient({ url: api.url, genesisHash: 'mainnet' })).toThrow('64 lower-case hexadecimal digits');
  });

  it('accepts any wait time, also fractions of milliseconds and no limit', async () => {
    expect(await codeOf(createClient({ url: 'http://127.0.0.1:1', timeoutMs: 0.5 }).status())).toMatch(
      /timeout|network/,
    );
    expect(await codeOf(createClient({ url: api.url, timeoutMs: Number.POSITIVE_INFINITY }).status())).toBe('no error');
  });

  it('rejects a malformed token without printing it', () => {
    for (const token of ['', 'two words', 'secret\n', 'se\u0000cret', 'a'.repeat(257)]) {
      const make = () => createClient({ url: api.url, token });
      expect(make).toThrow(expect.objectContaining({ code: 'bad-argument' }));
      expect(make).not.toThrow(/two|secret|aaa/);
    }
  });

  it('rejects arguments that no node would accept', async () => {
    expect(() => transfer('0x12', 1n)).toThrow(ClientError);
    expect(() => keyPairFrom(new Uint8Array(31))).toThrow(ClientError);
    const { transaction } = await signed();
    const wrong = [{ maxFee: -1n }, { maxFee: 2n ** 64n }, { expiryMs: -1 }, { expiryMs: 0.5 }, { actions: [] }];
    for (const change of [...wrong, { actions: [transfer(sender.accountText, 2n ** 64n)] }]) {
      expect(() => signTransaction({ ...transaction.body, ...change }, sender)).toThrow(ClientError);
    }
  });
});

describe('submitting and waiting', () => {
  it('submits again until a node has it, whatever temporary errors occur', async () => {
    let refusals = 3;
    const base = api.node;
    const flaky = await runApi({
      backend: {
        submit: async (bytes) => {
          refusals -= 1;
          if (refusals === 2) return { type: 'overloaded', retryAfterMs: 1 };
          if (refusals === 1) throw new Error('a fault');
          return flaky.node.submit === base.submit ? { type: 'not-ready', detail: '' } : realSubmit(bytes);
        },
      },
    });
    const other = await runApi();
    const realSubmit = other.node.submit;
    const routed = createClient({
      url: flaky.url,
      fetch: (url, init) => fetch(init.method === 'POST' ? url : url.replace(flaky.url, other.url), init),
    });
    const seen: string[] = [];
    const waiting = routed.submitAndWait(await signed(routed), { onStatus: ({ status }) => seen.push(status) });
    while (!seen.includes('pending')) await new Promise((resolve) => setTimeout(resolve, 5));
    other.node.commit();
    expect((await waiting).status).toBe('final');
    expect(refusals).toBe(0);
    await flaky.stop();
    await other.stop();
  });

  it('reports why a node evicted it, and continues to wait: a block may still include it', async () => {
    const stages: (string | undefined)[] = [];
    let isAside = true;
    const poor = createClient({
      url: api.url,
      async fetch(url, init) {
        const answer = await fetch(init.method === 'GET' && isAside ? url.replace('wait=final', '') : url, init);
        if (init.method !== 'GET' || !isAside || !url.includes('/transactions/')) return answer;
        isAside = false;
        return Response.json({ ...((await answer.json()) as object), reason: 'fee-not-covered' }, { status: 202 });
      },
    });
    const waiting = poor.submitAndWait(await signed(), {
      onStatus: ({ status, reason }) => stages.push(reason ?? status),
    });
    while (!stages.includes('fee-not-covered')) await new Promise((resolve) => setTimeout(resolve, 5));
    api.node.commit();
    expect((await waiting).status).toBe('final');
    expect(stages).toEqual(['pending', 'fee-not-covered', 'final']);
  });

  it('polls with a pause when the node has no slot for a further wait', async () => {
    let asked = 0;
    const busy = createClient({
      url: api.url,
      fetch: (url, init) => {
        if (init.method === 'GET') asked += 1;
        return fetch(url.replace('wait=final', ''), init);
      },
    });
    expect(await codeOf(busy.submitAndWait(await signed(), { timeoutMs: 1_000 }))).toBe('timeout');
    expect(asked).toBeLessThan(12);
  });

  it('continues through a proxy that reaches no node, and honours its Retry-After', async () => {
    const askedMs: number[] = [];
    const proxied = createClient({
      url: api.url,
      async fetch(url, init) {
        if (init.method === 'POST') askedMs.push(performance.now());
        if (askedMs.length > 1) return fetch(url, init);
        return new Response('<html>', { status: 502, headers: { 'retry-after': '1' } });
      },
    });
    const waiting = proxied.submitAndWait(await signed());
    while (askedMs.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    api.node.commit();
    expect((await waiting).status).toBe('final');
    expect((askedMs[1] ?? 0) - (askedMs[0] ?? 0)).toBeGreaterThan(900);
  });

  it('ends at its deadline, also when the node holds the request without an answer', async () => {
    const unresponsive = createClient({
      url: api.url,
      fetch: (_url, { signal }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    });
    const startMs = performance.now();
    expect(await codeOf(unresponsive.submitAndWait(await signed(), { timeoutMs: 200 }))).toBe('timeout');
    expect(performance.now() - startMs).toBeLessThan(3_000);
  });

  it('throws at once for a permanent rejection, and timeout at the deadline', async () => {
    const { transaction } = await signed();
    const foreign = { ...transaction.body, genesisHash: new Uint8Array(32) } as Transaction['body'];
    expect(await codeOf(client.submitAndWait(signTransaction(foreign, sender)))).toBe('invalid-transaction');
    expect(await codeOf(client.submitAndWait(await signed(), { timeoutMs: 50 }))).toBe('timeout');
    const ended = new AbortController();
    const waiting = client.submitAndWait(await signed(), { signal: ended.signal });
    ended.abort();
    expect(await codeOf(waiting)).toBe('aborted');
  });
});

describe('the event stream of the client', () => {
  it('requests the full state again when it was cut off before it arrived', async () => {
    const [status, committee] = await Promise.all([client.status(), client.committee()]);
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const urls: string[] = [];
    let listeners = new Map<string, (event: { data?: unknown; code?: number }) => void>();
    class Scripted {
      constructor(url: string) {
        urls.push(url);
        listeners = new Map();
      }
      addEventListener(type: string, listener: (event: object) => void) {
        listeners.set(type, listener);
      }
      close() {}
    }
    const say = (message: object) => listeners.get('message')?.({ data: JSON.stringify(message) });
    const cut = () => {
      listeners.get('close')?.({ code: 1006 });
      vi.advanceTimersByTime(5_000);
    };
    const WebSocket = Scripted as unknown as NonNullable<Parameters<typeof createClient>[0]['WebSocket']>;
    const stream = createClient({ url: 'http://node.example', WebSocket }).events({});
    const hello = {
      type: 'hello',
      protocol: 1,
      run: '00112233aabbccdd',
      sequence: 40,
      oldest: 0,
      atMs: 1,
      topics: [],
      resumed: false,
    };
    const state = { status, committee, peers: [], blocks: [], stats: null };
    say(hello);
    cut();
    expect(urls[1]).not.toContain('resume');
    say(hello);
    say({ type: 'state', sequence: 41, atMs: 1, state });
    cut();
    expect(decodeURIComponent(urls[2] ?? '')).toContain('resume=00112233aabbccdd:41');
    stream.close();
  });

  it('delivers state and events, and resumes after a cut without a gap or a repetition', async () => {
    let running = await runApi();
    const events: StreamEvent[] = [];
    const connection: ConnectionState[] = [];
    let states = 0;
    const sockets: WebSocket[] = [];
    class Tracked extends WebSocket {
      constructor(url: string) {
        super(url);
        sockets.push(this);
      }
    }
    const stream = createClient({ url: running.url, WebSocket: Tracked }).events({
      onState: () => {
        states += 1;
      },
      onEvent: (event) => events.push(event),
      onConnection: (state) => connection.push(state),
    });
    const until = async (condition: () => boolean) => {
      while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await until(() => states === 1);
    for (let i = 0; i < 5; i++) running.hub.publish('wal.synced', { ms: i, bytes: 1 });
    await until(() => events.length === 5);
    sockets[0]?.close();
    for (let i = 0; i < 5; i++) running.hub.publish('wal.synced', { ms: i, bytes: 1 });
    await until(() => events.length === 10);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(states).toBe(1);
    expect(connection.filter(({ type }) => type === 'live')).toEqual([
      { type: 'live', resumed: false },
      { type: 'live', resumed: true },
    ]);

    const { port } = running;
    await running.stop();
    running = await runApi({ port });
    await until(() => states === 2);
    running.hub.publish('wal.synced', { ms: 1, bytes: 1 });
    await until(() => events.length === 11);
    expect(events[10]?.sequence).toBe(1);
    stream.close();
    stream.close();
    expect(connection.at(-1)).toEqual({ type: 'closed' });
    await running.stop();
  });
});

it('a wait without a time gets the default of the node, however short the timeout of the client is', async () => {
  const deadlines = vi.spyOn(AbortSignal, 'timeout');
  onTestFinished(() => deadlines.mockRestore());
  const found = async () => Response.json({ id: `0x${'11'.repeat(32)}`, status: 'pending' });
  const hasty = createClient({ url: 'http://node.example', timeoutMs: 100, fetch: found });
  await hasty.transaction(`0x${'11'.repeat(32)}`, { wait: 'final' });
  await hasty.transaction(`0x${'11'.repeat(32)}`, { wait: 'final', timeoutMs: 2_000 });
  await hasty.transaction(`0x${'11'.repeat(32)}`);
  expect(deadlines.mock.calls.flat()).toEqual([15_000, 7_000, 100]);
});
