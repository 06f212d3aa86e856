import type { SubmissionNotice } from '@slipstream/schema';
import { describe, expect, it } from 'vitest';
import { startApi } from '../../api/test/running-api.ts';
import {
  buildTransaction,
  ClientError,
  createClient,
  generateKeyPair,
  keyPairFrom,
  type SignedTransaction,
  signTransaction,
  transfer,
} from '../src/index.ts';
import { genesisHash } from './real-chain.ts';

const sender = keyPairFrom(new Uint8Array(32).fill(9));

function signed(of = genesisHash): SignedTransaction {
  const actions = [transfer(generateKeyPair().accountText, 5n)];
  const expiryMs = Date.now() + 30_000;
  return signTransaction(buildTransaction({ genesisHash: of, sender: sender.account, expiryMs, actions }), sender);
}

const many = (count: number) => Array.from({ length: count }, () => signed());

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('the submission stream of the client', () => {
  it('gives each transaction its id, then tells that it is final, with its place in the block', async () => {
    const api = await startApi();
    const seen: SubmissionNotice[] = [];
    const stream = createClient({ url: api.url }).stream({ onNotices: (notices) => seen.push(...notices) });
    expect((await stream.opened).genesisHash).toEqual(genesisHash);
    const transactions = many(5);
    const results = await Promise.all(transactions.map((transaction) => stream.submit(transaction)));
    expect(results).toEqual(
      transactions.map(({ transactionId }, number) => ({ number, code: 'accepted', id: transactionId })),
    );
    api.node.commit();
    await until(() => seen.length === 5);
    expect(seen).toEqual([0, 1, 2, 3, 4].map((number) => ({ number, status: 'final', height: 1, index: number })));
    stream.close();
  });

  it('sends many in one call, splits them over messages, and keeps within the window', async () => {
    const api = await startApi({ limits: { submissionWindow: 300 } });
    const answered: number[] = [];
    const stream = createClient({ url: api.url }).stream({
      onResults: ({ first, results }) => answered.push(...results.map((_, at) => first + at)),
    });
    await stream.opened;
    const transactions = many(300).map(({ bytes }) => bytes);
    expect(stream.room()).toBe(300);
    expect(stream.send(transactions)).toBe(0);
    expect(stream.room()).toBe(0);
    expect(() => stream.send(transactions.slice(0, 1))).toThrow(ClientError);
    await until(() => answered.length === 300);
    expect(answered.sort((a, b) => a - b)).toEqual(transactions.map((_, at) => at));
    expect(stream.room()).toBe(300);
    stream.close();
  });

  it('keeps submit waiting while the window is full, and loses none', async () => {
    const api = await startApi({ limits: { submissionWindow: 2 } });
    const stream = createClient({ url: api.url }).stream();
    const results = await Promise.all(many(20).map((transaction) => stream.submit(transaction)));
    expect(results.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, at) => at));
    expect(new Set(results.map(({ code }) => code))).toEqual(new Set(['accepted']));
    stream.close();
  });

  it('names what the node refuses, and answers for what it knows already', async () => {
    const api = await startApi();
    const stream = createClient({ url: api.url }).stream();
    const transaction = signed();
    await createClient({ url: api.url }).submit(transaction);
    const results = await Promise.all([
      stream.submit(new Uint8Array([1, 2, 3])),
      stream.submit(transaction),
      stream.submit(signed(new Uint8Array(32).fill(3) as typeof genesisHash)),
    ]);
    expect(results.map(({ code }) => code)).toEqual(['malformed', 'known', 'wrong-genesis']);
    expect(results[1]?.id).toEqual(transaction.transactionId);
    stream.close();
  });

  it('rejects what has no result when the node goes away, as something that may be sent again', async () => {
    const api = await startApi({ backend: { submitMany: () => new Promise(() => {}) } });
    let end: ClientError | undefined;
    const stream = createClient({ url: api.url }).stream({
      onClosed: (error) => {
        end = error;
      },
    });
    await stream.opened;
    const waiting = stream.submit(signed()).catch((error: unknown) => error);
    await api.stop();
    const error = (await waiting) as ClientError;
    expect(error).toMatchObject({ code: 'network', retryable: true });
    expect(end?.message).toContain('stopping');
    expect(stream.room()).toBe(0);
  });

  it('tells of a node that is not there', async () => {
    const api = await startApi();
    await api.stop();
    const stream = createClient({ url: api.url }).stream();
    await expect(stream.opened).rejects.toMatchObject({ code: 'network' });
  });
});

describe('a batch of the client', () => {
  it('is submitted as bytes, and gets a result each, in order', async () => {
    const api = await startApi();
    const [first, second] = many(2) as [SignedTransaction, SignedTransaction];
    const client = createClient({ url: api.url });
    const { results } = await client.submitBatch([first, new Uint8Array([1]), second.bytes]);
    expect(results).toMatchObject([
      { ok: true, id: first.id, status: 'pending' },
      { ok: false, problem: { code: 'malformed-transaction' } },
      { ok: true, id: second.id },
    ]);
  });

  it('is refused when it is empty, too large, or no batch', async () => {
    const client = createClient({ url: (await startApi()).url });
    const one = new Uint8Array([1]);
    await expect(client.submitBatch([])).rejects.toMatchObject({ code: 'malformed-body' });
    await expect(client.submitBatch(Array.from({ length: 1001 }, () => one))).rejects.toMatchObject({
      code: 'malformed-body',
    });
    await expect(client.call('submitBatch', { body: new Uint8Array([7]) })).rejects.toMatchObject({
      code: 'malformed-body',
    });
  });
});
