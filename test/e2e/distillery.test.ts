/** The SDK's distillery at brokers on real nodes: a wallet, a gateway, and a broker that is killed while rows are in flight. */
import {
  blsKeyPairFrom,
  buildTransaction,
  generateBlsKeyPair,
  generateKeyPair,
  register,
  signTransaction,
} from '@slipstream/client';
import { type BrokerEvent, type DistilleryKeys, openDistillery } from '@slipstream/client/distillery';
import { eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { DISTILLED_DEFAULTS } from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAST_BLOCKS } from './fast-blocks.ts';

let network: TemporaryNetwork;
let chain: unknown;
const accounts: (DistilleryKeys & { readonly index: number })[] = [];

async function enterDirectory(): Promise<DistilleryKeys & { readonly index: number }> {
  const { client } = network.node('validator-2');
  const account = generateKeyPair();
  await client.faucet(account.accountText, { amount: 10n ** 10n, wait: 'final', timeoutMs: 20_000 });
  const genesisHash = await client.genesisHash();
  const bls = blsKeyPairFrom(generateBlsKeyPair().secret);
  const actions = [register(bls, { account: account.account, genesisHash })];
  const terms = { expiryMs: Date.now() + 50_000, maxFee: 10n ** 9n };
  const signed = signTransaction(
    buildTransaction({ genesisHash, sender: account.account, actions, ...terms }),
    account,
  );
  expect((await client.submitAndWait(signed)).status).toBe('final');
  const { index } = await eventually('the entry', 20_000, () => client.directory(account.accountText));
  return { account, bls, index };
}

const urlOf = (name: string) => network.node(name).url;

async function receivedBy({ account }: DistilleryKeys): Promise<bigint> {
  return BigInt((await network.node('validator-2').client.account(account.accountText)).balance);
}

beforeAll(async () => {
  network = await temporaryNetwork({
    validators: 4,
    fullNodes: 0,
    fees: 'metered',
    distilled: DISTILLED_DEFAULTS,
    flags: FAST_BLOCKS,
  });
  await network.start();
  for (let i = 0; i < 4; i++) accounts.push(await enterDirectory());
  const { client } = network.node('validator-2');
  chain = await client.genesis();
  // A batch's indices are known 16 blocks below its block (Q5).
  await untilHeight(network, (await client.status()).height + 17, 60_000);
});

afterAll(() => network?.remove());

test('a wallet finds its index and its payee by proof, and its transfer ends with a proven outcome', async () => {
  const [alice, bob] = accounts as [DistilleryKeys, DistilleryKeys];
  const before = await receivedBy(bob);
  const distillery = openDistillery(urlOf('validator-0'), { account: alice.account, bls: alice.bls }, { chain });
  try {
    expect(await distillery.ready()).toEqual([alice.index]);
    const result = await distillery.transfer({ to: bob.account.accountText, amount: 41n, tag: 9 });
    expect(result).toMatchObject({ status: 'success', sender: alice.index });
    expect(result.proof).toBeDefined();
    expect(await receivedBy(bob)).toBe(before + 41n);
  } finally {
    distillery.close();
  }
});

test('a gateway goes on at another node when its broker is killed: each row runs once', async () => {
  const senders = accounts.slice(0, 3);
  const payee = accounts[3] as DistilleryKeys & { readonly index: number };
  const before = await receivedBy(payee);
  const events: BrokerEvent[] = [];
  const distillery = openDistillery([urlOf('validator-0'), urlOf('validator-1')], senders, {
    chain,
    prove: false,
    patienceMs: 10_000,
    onBroker: (event) => void events.push(event),
  });
  try {
    await distillery.transfer({ from: senders[0]?.index ?? 0, to: payee.index, amount: 1n });
    const transfers = senders.flatMap(({ index }) =>
      Array.from({ length: 20 }, () => distillery.transfer({ from: index, to: payee.index, amount: 1n })),
    );
    await network.kill(['validator-0']);
    const results = await Promise.allSettled(transfers);
    const failed = results.filter((result) => result.status === 'rejected');
    // What ran unseen at the killed broker is named so: it ran, once.
    for (const { reason } of failed)
      expect(reason).toMatchObject({ code: expect.stringMatching(/^row-(skipped|expired)$/) });
    expect(events.filter(({ type }) => type === 'live').map(({ url }) => url)).toEqual([
      urlOf('validator-0'),
      urlOf('validator-1'),
    ]);
    await eventually('all rows', 20_000, async () => ((await receivedBy(payee)) === before + 61n ? true : undefined));
  } finally {
    distillery.close();
  }
});
