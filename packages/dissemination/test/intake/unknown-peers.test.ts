/** Any key may be a full node, so the cost of its transactions is bounded until it has earned credit. */
import { encodeFrame } from '@slipstream/types';
import { expect, it } from 'vitest';
import { byCredential, credentialOf, person, sessionOf, testChain } from '../../../execution/test/session-world.ts';
import {
  accountOf,
  createTestNetwork,
  FULL_NODE,
  GENESIS_HASH,
  peerKey,
  transaction,
  unitsOf,
} from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';

type Form = Parameters<typeof transaction>[0];

const frameWith = (count: number, form: Form = {}) =>
  encodeFrame('transactions', { transactions: Array.from({ length: count }, () => transaction(form)), awaited: [] });

it('a new key has few bad signatures verified before the first verdict returns', async () => {
  const network = createTestNetwork();
  const node = network.node(0);
  for (let frame = 0; frame < 10; frame++) {
    void node.dissemination.onTransactions(FULL_NODE, frameWith(2_000, { badSignature: true }));
  }
  await network.pass(50);
  expect(node.dissemination.stats().signatures.signatures).toBe(256);
  expect(node.offences).toMatchObject([{ peer: FULL_NODE, reason: 'invalid-signature' }]);
});

it('a peer whose transactions are good has as many more verified at a time', async () => {
  const network = createTestNetwork();
  const node = network.node(0);
  const verified: number[] = [];
  for (let frame = 0; frame < 3; frame++) {
    const before = node.dissemination.stats().pool.transactions;
    await Promise.all([node.dissemination.onTransactions(FULL_NODE, frameWith(1_100)), network.pass(10)]);
    verified.push(node.dissemination.stats().pool.transactions - before);
  }
  expect(verified).toEqual([256, 512, 1_024]);
});

it('a validator has all its forwarded transactions verified at once', async () => {
  const network = createTestNetwork();
  const node = network.node(0);
  await Promise.all([node.dissemination.onTransactions(peerKey(1), frameWith(2_000)), network.pass(10)]);
  expect(node.dissemination.stats().pool.transactions).toBe(2_000);
});

it.each([
  { who: 'a full node', from: FULL_NODE, count: 200, vainMax: 512, unseen: 3 * 200 - 512 },
  { who: 'a validator', from: peerKey(1), count: 2_000, vainMax: 40_000, unseen: 0 },
])('useless transactions that $who sends are not even decoded above a maximum, until time has passed', async (each) => {
  const { from, count, vainMax, unseen } = each;
  const network = createTestNetwork();
  const node = network.node(0);
  const known = frameWith(count);
  const arrived = () => node.dissemination.stats().flow.fromPeers;
  for (let frame = 0; frame < 30; frame++) {
    await Promise.all([node.dissemination.onTransactions(from, known), network.pass()]);
  }
  expect(arrived()).toBe(count + vainMax);
  const notDecoded = 29 - Math.ceil(vainMax / count);
  expect(node.dissemination.stats().drops).toMatchObject({ 'peer-limit': unseen + notDecoded });
  expect(node.offences).toEqual([]);
  await network.pass(1_000);
  await node.dissemination.onTransactions(from, known);
  expect(arrived()).toBe(count + vainMax + count);
});

it('transactions that take longer to check count for more: many actions, and a new credential', async () => {
  const device = person('device');
  const identity = testChain('identity', { balances: [device.account] });
  const target = { ...testChain('target', { trusted: [identity.rootKey] }), genesisHash: GENESIS_HASH };
  const session = sessionOf(identity, target, device);
  const credential = await credentialOf(identity, session, device);
  const actions = Array.from({ length: 16 }, () => ({ kind: 'setData', name: 'n', value: new Uint8Array(1) }) as const);
  const expiryMs = START_MS - 1;
  const bySession = byCredential(target, session, credential, { actions: actions.slice(0, 1), expiryMs }).bytes;
  const looked: number[] = [];
  for (const bytes of [transaction({ expiryMs }), transaction({ actions, expiryMs }), bySession]) {
    const { dissemination } = createTestNetwork().node(0);
    const frame = encodeFrame('transactions', { transactions: Array.from({ length: 200 }, () => bytes), awaited: [] });
    for (let times = 0; times < 4; times++) await dissemination.onTransactions(FULL_NODE, frame);
    looked.push(dissemination.stats().flow.fromPeers);
  }
  const [plain, ofActions, ofCredential] = looked;
  expect(plain).toBe(512);
  expect(ofActions).toBe(512 / 16);
  expect(ofCredential).toBeLessThanOrEqual(512 / 20);
});

it('a full node may resend pending transactions every two seconds, also with four actions each', async () => {
  const network = createTestNetwork();
  const node = network.node(0);
  const action = { kind: 'setData', name: 'n', value: new Uint8Array(1) } as const;
  const known = frameWith(1_000, { actions: [action, action, action, action], expiryMs: START_MS + 60_000 });
  await Promise.all([node.dissemination.onTransactions(peerKey(1), known), network.pass()]);
  await Promise.all([node.dissemination.onTransactions(FULL_NODE, frameWith(1)), network.pass()]);
  for (let sweep = 1; sweep <= 10; sweep++) {
    await network.pass(2_000);
    for (let frame = 0; frame < 2; frame++) await node.dissemination.onTransactions(FULL_NODE, known);
    expect(node.dissemination.stats().flow.known).toBe(sweep * 2_000);
  }
});

it('a long connected full node may send some thousands of useless transactions', async () => {
  const network = createTestNetwork();
  const node = network.node(0);
  const known = frameWith(2_000);
  const arrived = () => node.dissemination.stats().flow.fromPeers;
  await Promise.all([node.dissemination.onTransactions(FULL_NODE, known), network.pass()]);
  await network.pass(10_000);
  const before = arrived();
  for (let frame = 0; frame < 3; frame++) await node.dissemination.onTransactions(FULL_NODE, known);
  expect(arrived()).toBeGreaterThanOrEqual(before + 4_000);
});

it('peers’ transactions in checks take no capacity from clients', async () => {
  const network = createTestNetwork();
  const node = network.node(0);
  void node.dissemination.onTransactions(peerKey(1), frameWith(600));
  const answer = node.dissemination.submit(transaction({ from: accountOf(0, 1) }));
  await network.pass(50);
  expect(await answer).toMatchObject({ type: 'accepted' });
});

it('neither do unsigned ones of senders without a balance while the state is read', async () => {
  const waiting: (() => void)[] = [];
  const rules = {
    unitsOf,
    feeOf: () => 1n,
    async balancesOf(accounts: readonly unknown[]) {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return accounts.map(() => (accounts.length === 1 ? 10n : 0n));
    },
  };
  const network = createTestNetwork({ overrides: { rules } });
  const node = network.node(0);
  for (let round = 0; round < 5; round++) {
    void node.dissemination.onTransactions(
      FULL_NODE,
      frameWith(600, { from: accountOf(0, 5), maxFee: 5n, badSignature: true }),
    );
    const answer = node.dissemination.submit(transaction({ from: accountOf(0, 1), maxFee: 5n }));
    await network.pass(20);
    for (const answered of waiting.splice(0)) answered();
    await network.pass(20);
    expect(await answer).toMatchObject({ type: 'accepted' });
  }
});
