import { asId, encodeFrame, type GenesisHash } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import type { SubmitResult } from '../../src/index.ts';
import {
  accountOf,
  createTestNetwork,
  FULL_NODE,
  idOf,
  type Node,
  peerKey,
  type TestNetwork,
  transaction,
  unitsOf,
} from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';

async function submit(network: TestNetwork, node: Node, bytes: Uint8Array): Promise<SubmitResult> {
  const result = node.dissemination.submit(bytes);
  await network.pass(2);
  return result;
}

function transactionFrames(node: Node): readonly string[] {
  return node.sent.filter(({ lane }) => lane === 'transaction').map(({ to }) => to);
}

describe('submission', () => {
  it('accepts a valid transaction, and reports its status', async () => {
    const network = createTestNetwork();
    const bytes = transaction();
    const node = network.node(0);
    expect(node.dissemination.status(idOf(bytes))).toEqual({ status: 'unknown' });
    expect(await submit(network, node, bytes)).toMatchObject({ type: 'accepted', expiryMs: START_MS + 30_000 });
    expect(node.dissemination.status(idOf(bytes))).toEqual({ status: 'pending', expiryMs: START_MS + 30_000 });
    expect(node.dissemination.hasPending()).toBe(true);
    expect(node.pending).toEqual([true]);
  });

  it.each([
    ['malformed', new Uint8Array([1, 2, 3])],
    ['malformed', new Uint8Array(100_000)],
    ['wrong-genesis', transaction({ genesisHash: asId<GenesisHash>(new Uint8Array(32)) })],
    ['bad-signature', transaction({ badSignature: true })],
    ['expired', transaction({ expiryMs: START_MS })],
    ['expiry-too-far', transaction({ expiryMs: START_MS + 60_001 })],
  ])('rejects with %s, gives the reason, and counts it', async (reason, bytes) => {
    const network = createTestNetwork();
    const node = network.node(0);
    const result = await submit(network, node, bytes);
    expect(result).toMatchObject({ type: 'rejected', reason });
    expect(result.type === 'rejected' && result.message.length > 10).toBe(true);
    expect(node.dissemination.stats().drops).toEqual({ [reason]: 1 });
    expect(node.dissemination.hasPending()).toBe(false);
  });

  it('rejects transactions that the fee rules would skip, and those that no block can hold', async () => {
    const rules = { unitsOf, feeOf: () => 10n, balancesOf: async (of: readonly unknown[]) => of.map(() => 15n) };
    const network = createTestNetwork({ overrides: { rules } });
    const node = network.node(0);
    expect(await submit(network, node, transaction({ maxFee: 9n }))).toMatchObject({ reason: 'max-fee-too-low' });
    expect(await submit(network, node, transaction({ maxFee: 16n }))).toMatchObject({ reason: 'fee-not-covered' });
    expect(await submit(network, node, transaction({ maxFee: 15n }))).toMatchObject({ type: 'accepted' });
    const huge = { ...rules, unitsOf: () => [0, 1e9, 0, 0, 0] };
    const narrow = createTestNetwork({ overrides: { rules: huge } });
    expect(await submit(narrow, narrow.node(0), transaction())).toMatchObject({ reason: 'over-limit' });
  });

  it('recognizes a transaction that is in the pool', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const bytes = transaction({ salt: 77 });
    await submit(network, node, bytes);
    expect(await submit(network, node, bytes)).toMatchObject({ type: 'known', where: 'pool', sameBytes: true });
    const other = transaction({ salt: 77, badSignature: true });
    expect(await submit(network, node, other)).toMatchObject({ type: 'known', where: 'pool', sameBytes: false });
  });

  it('gives the time to retry if the pool or the sender is at its limit', async () => {
    const network = createTestNetwork({
      limits: { poolTransactionsMax: 2, senderTransactionsMax: 1, retryAfterMs: 123 },
    });
    const node = network.node(0);
    await submit(network, node, transaction());
    expect(await submit(network, node, transaction())).toMatchObject({ reason: 'sender-limit', retryAfterMs: 123 });
    await submit(network, node, transaction({ from: 2 }));
    expect(await submit(network, node, transaction({ from: 3 }))).toMatchObject({
      reason: 'pool-full',
      retryAfterMs: 123,
    });
  });

  it('admits a bounded number into signature checks', async () => {
    const network = createTestNetwork({ limits: { intakeTransactionsMax: 2 } });
    const results = [1, 2, 3].map((from) => network.node(0).dissemination.submit(transaction({ from })));
    await network.pass(2);
    expect((await Promise.all(results)).map(({ type }) => type)).toEqual(['accepted', 'accepted', 'rejected']);
    const frame = encodeFrame('transactions', {
      transactions: [5, 6, 7].map((from) => transaction({ from })),
      awaited: [],
    });
    void network.node(1).dissemination.onTransactions(peerKey(2), frame);
    await network.pass();
    expect(network.node(1).dissemination.stats().pool).toMatchObject({ transactions: 2, checking: 0 });
  });

  it('of an address with tens of thousands of useless submissions is ignored for a while, and others are not', async () => {
    const network = createTestNetwork();
    const { dissemination } = network.node(0);
    const late = transaction({ expiryMs: START_MS });
    const batch = Array.from({ length: 1_000 }, () => late);
    const reasons = async (source: string, bytes: readonly Uint8Array[]) => {
      const [results] = await Promise.all([dissemination.submitMany(bytes, source), network.pass(2)]);
      return new Set(results.map((result) => (result.type === 'rejected' ? result.reason : result.type)));
    };
    for (let times = 0; times < 20; times++) expect(await reasons('a', batch)).toEqual(new Set(['expired']));
    await dissemination.submitMany(batch, 'a');
    const [refused] = await dissemination.submitMany([transaction()], 'a');
    expect(await reasons('b', [transaction()])).toEqual(new Set(['accepted']));
    expect(refused).toMatchObject({ reason: 'verification-limit', retryAfterMs: 1_000, id: undefined });
    await network.pass(100);
    expect(await reasons('a', [transaction()])).toEqual(new Set(['accepted']));
    const { fromClients, known, refused: counted } = dissemination.stats().flow;
    expect(fromClients).toBe(known + Object.values(counted).reduce((sum, count) => sum + count, 0) + 2);
  });

  it('does not share memory with the caller’s bytes', async () => {
    const network = createTestNetwork();
    const bytes = transaction();
    const id = idOf(bytes);
    const result = network.node(0).dissemination.submit(bytes);
    bytes.fill(0);
    await network.pass(2);
    expect(await result).toMatchObject({ type: 'accepted' });
    expect(network.node(0).dissemination.status(id).status).toBe('pending');
  });
});

describe('signature checks', () => {
  it('gather clients’ signatures into one batch', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const results = [1, 2, 3].map((from) => node.dissemination.submit(transaction({ from })));
    await network.pass(2);
    await Promise.all(results);
    expect(node.checked.map((batch) => batch.length)).toEqual([3]);
  });

  it('send a full batch at once', async () => {
    const network = createTestNetwork({ limits: { gatherSignaturesMax: 2 } });
    const node = network.node(0);
    const results = [1, 2, 3].map((from) => node.dissemination.submit(transaction({ from })));
    await network.pass(2);
    await Promise.all(results);
    expect(node.checked.map((batch) => batch.length)).toEqual([2, 1]);
  });

  it('verify a transaction once that several peers send concurrently', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const bytes = transaction();
    const frame = encodeFrame('transactions', { transactions: [bytes], awaited: [] });
    void node.dissemination.onTransactions(peerKey(1), frame);
    void node.dissemination.onTransactions(peerKey(2), frame);
    const result = await submit(network, node, bytes);
    expect(result.type).toBe('known');
    expect(node.checked.flat()).toHaveLength(1);
  });

  it('judge a good copy by itself when a bad one under the same id came first', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const bad = node.dissemination.submit(transaction({ salt: 5, badSignature: true }));
    const good = node.dissemination.submit(transaction({ salt: 5 }));
    await network.pass(2);
    expect(await bad).toMatchObject({ reason: 'bad-signature' });
    expect(await good).toMatchObject({ type: 'accepted' });
  });
});

describe('forwarding', () => {
  it('sends a transaction from a full node to its home validator, and to no other', async () => {
    const network = createTestNetwork();
    const bytes = transaction({ from: accountOf(2) });
    await submit(network, network.fullNode, bytes);
    await network.pass(30);
    expect(transactionFrames(network.fullNode)).toEqual([peerKey(2)]);
    const known = [0, 1, 2, 3].map((index) => network.node(index).dissemination.status(idOf(bytes)).status);
    expect(known).toEqual(['unknown', 'unknown', 'pending', 'unknown']);
    expect(transactionFrames(network.node(2))).toEqual([]);
  });

  it('sends a client’s transaction from a validator to its home in one frame, and retains it', async () => {
    const network = createTestNetwork();
    const results = [0, 1, 2].map((nth) =>
      network.node(0).dissemination.submit(transaction({ from: accountOf(3, nth) })),
    );
    await network.pass(30);
    await Promise.all(results);
    expect(transactionFrames(network.node(0))).toEqual([peerKey(3)]);
    expect(network.node(3).dissemination.stats()).toMatchObject({ ready: 3 });
    expect(network.node(0).dissemination.stats()).toMatchObject({ ready: 0, pool: { transactions: 3 } });
  });

  it('skips a disconnected home', async () => {
    const network = createTestNetwork();
    network.cut(peerKey(0), peerKey(3));
    await submit(network, network.node(1), transaction({ from: accountOf(3) }));
    await submit(network, network.node(0), transaction({ from: accountOf(3) }));
    expect(network.node(0).dissemination.stats().ready).toBe(1);
    expect(network.node(1).dissemination.stats().ready).toBe(0);
  });

  it('never forwards transactions from a validator', async () => {
    const network = createTestNetwork();
    const frame = encodeFrame('transactions', { transactions: [transaction()], awaited: [] });
    void network.node(0).dissemination.onTransactions(peerKey(1), frame);
    await network.pass(50);
    expect(transactionFrames(network.node(0))).toEqual([]);
  });

  it('sends transactions that stay pending on a full node to all known validators', async () => {
    const network = createTestNetwork();
    const bytes = transaction();
    for (const index of [0, 1, 2]) network.cut(FULL_NODE, peerKey(index));
    await submit(network, network.fullNode, bytes);
    await network.pass(5_000);
    expect(network.node(3).dissemination.status(idOf(bytes)).status).toBe('attested');
  });

  it('reports a peer that forwards malformed bytes or bad signatures, and accepts the rest of its frame', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const transactions = [transaction({ badSignature: true }), new Uint8Array([9]), transaction()];
    void node.dissemination.onTransactions(FULL_NODE, encodeFrame('transactions', { transactions, awaited: [] }));
    void node.dissemination.onTransactions(peerKey(1), new Uint8Array([9, 1]));
    await network.pass();
    const offences = node.offences.map(({ peer, reason }) => `${peer === FULL_NODE ? 'full' : 'validator'} ${reason}`);
    expect(offences.sort()).toEqual(['full invalid-signature', 'full malformed-frame', 'validator malformed-frame']);
    expect(node.dissemination.stats().pool.transactions).toBe(1);
  });

  it('does not blame a peer for late or known transactions', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const late = transaction({ expiryMs: START_MS });
    const known = transaction();
    await submit(network, node, known);
    void node.dissemination.onTransactions(
      peerKey(1),
      encodeFrame('transactions', { transactions: [late, known], awaited: [] }),
    );
    await network.pass();
    expect(node.offences).toEqual([]);
    expect(node.dissemination.stats().drops).toEqual({ expired: 1 });
  });
});
