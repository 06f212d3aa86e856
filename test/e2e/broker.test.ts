/** Accounts register, log in to the brokers of a real validator and a full node, and their rows become final with outcomes. */
import {
  blsKeyPairFrom,
  buildTransaction,
  generateBlsKeyPair,
  generateKeyPair,
  type KeyPair,
  register,
  signTransaction,
} from '@slipstream/client';
import { ed25519Sign } from '@slipstream/crypto/native';
import { eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { type Row, stragglerMessage } from '@slipstream/distilled';
import { DISTILLED_DEFAULTS } from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAST_BLOCKS } from './fast-blocks.ts';
import { openStream, type Registered } from './stream-client.ts';

let network: TemporaryNetwork;
const accounts: (Registered & { readonly keys: KeyPair })[] = [];

async function registered(keys: KeyPair): Promise<Registered & { readonly keys: KeyPair }> {
  const { client } = network.node('validator-0');
  const genesisHash = await client.genesisHash();
  const pair = blsKeyPairFrom(generateBlsKeyPair().secret);
  const actions = [register(pair, { account: keys.account, genesisHash })];
  const body = buildTransaction({
    genesisHash,
    sender: keys.account,
    actions,
    expiryMs: Date.now() + 50_000,
    maxFee: 10n ** 9n,
  });
  const { status } = await client.submitAndWait(signTransaction(body, keys));
  expect(status).toBe('final');
  const { index } = await eventually('the entry of the directory', 20_000, () => client.directory(keys.accountText));
  return { index, blsSecret: pair.secret, keys };
}

const row = (sender: number, recipient: number, amount: bigint, sequence: number): Row => ({
  sender,
  recipient,
  amount,
  sequence,
  tag: 7,
});

/** At one height. */
async function balancesOf(indices: readonly number[]): Promise<readonly bigint[]> {
  const texts = indices.map((index) => accounts.find((account) => account.index === index)?.keys.accountText ?? '');
  const { items } = await network.node('validator-1').client.accounts(texts);
  return items.map(({ balance }) => BigInt(balance));
}

beforeAll(async () => {
  network = await temporaryNetwork({
    validators: 4,
    fullNodes: 1,
    fees: 'metered',
    distilled: DISTILLED_DEFAULTS,
    flags: FAST_BLOCKS,
  });
  await network.start();
  const { client } = network.node('validator-0');
  for (let i = 0; i < 4; i++) {
    const keys = generateKeyPair();
    await client.faucet(keys.accountText, { amount: 10n ** 10n, wait: 'final', timeoutMs: 20_000 });
    accounts.push(await registered(keys));
  }
  // A batch's indices are known 16 blocks below its block (Q5).
  const { height } = await client.status();
  await untilHeight(network, height + 17, 60_000);
});

afterAll(() => network?.remove());

test('rows of two clients share a batch, become final, and end in outcomes', async () => {
  const { url } = network.node('validator-0');
  const [alice, gateway] = [await openStream(url, accounts.slice(0, 1)), await openStream(url, accounts.slice(1, 3))];
  const before = await balancesOf([0, 1, 2]);
  alice.send([row(0, 1, 100n, 1)]);
  gateway.send([row(1, 2, 30n, 1), row(1, 2, 4n, 2), row(2, 0, 5n, 1)]);
  const outcomes = await eventually('outcomes of both', 20_000, async () => {
    const found = [alice, gateway].map((stream) => stream.all('outcomes')[0]);
    return found.every((one) => one !== undefined) ? found : undefined;
  });
  expect(outcomes.map((one) => [...(one?.outcomes ?? [])])).toEqual([[0], [0, 0, 0]]);
  expect(outcomes[0]?.batchId).toEqual(outcomes[1]?.batchId);
  const fee = outcomes[0]?.rowFee ?? 0n;
  expect(fee).toBeGreaterThan(0n);
  // Another node may commit the block a moment later.
  const changes = await eventually('the balances at another node', 20_000, async () => {
    const after = await balancesOf([0, 1, 2]);
    const found = after.map((balance, i) => balance - (before[i] as bigint));
    return found.some((change) => change !== 0n) ? found : undefined;
  });
  expect(changes).toEqual([5n - 100n - fee, 100n - 34n - 2n * fee, 34n - 5n - fee]);
  alice.close();
  gateway.close();
});

test('a client that withholds its share becomes a straggler of the batch, and pays for it', async () => {
  const { url, client } = network.node('validator-0');
  const [honest, slow] = [
    await openStream(url, accounts.slice(0, 1)),
    await openStream(url, accounts.slice(1, 2), { isSigning: false }),
  ];
  const genesisHash = await client.genesisHash();
  const signed = (one: Row, { keys }: (typeof accounts)[0]) => {
    const terms = { expiryMs: Date.now() + 55_000, feeCap: 10n ** 9n };
    return { position: 0, ...terms, signature: ed25519Sign(stragglerMessage(genesisHash, one, terms), keys.secret) };
  };
  const [own, late] = [row(0, 3, 1n, 10), row(1, 3, 1n, 10)];
  honest.send([own], [signed(own, accounts[0] as (typeof accounts)[0])]);
  slow.send([late], [signed(late, accounts[1] as (typeof accounts)[0])]);
  const [first, second] = await eventually('outcomes of both', 20_000, async () => {
    const found = [honest.all('outcomes')[0], slow.all('outcomes')[0]] as const;
    return found[0] !== undefined && found[1] !== undefined ? ([found[0], found[1]] as const) : undefined;
  });
  expect([...first.outcomes, ...second.outcomes]).toEqual([0, 0]);
  expect([...first.stragglers]).toEqual([]);
  expect([...second.stragglers]).toEqual([0]);
  expect(second.stragglerFee).toBeGreaterThan(first.rowFee);
  honest.close();
  slow.close();
});

test('a full node is a broker: its batches go through validators, also when one is lost', async () => {
  const { url } = network.node('full-node-0');
  const stream = await openStream(url, accounts.slice(0, 1));
  const ended = (count: number) =>
    eventually('outcomes at the full node', 40_000, async () => {
      const found = stream.all('outcomes').flatMap(({ outcomes }) => [...outcomes]);
      return found.length >= count ? found : undefined;
    });
  stream.send([row(0, 1, 7n, 20), row(0, 2, 7n, 21)]);
  expect(await ended(2)).toEqual([0, 0]);
  await network.kill(['validator-3']);
  for (let i = 0; i < 4; i++) {
    stream.send([row(0, 1, 1n, 30 + i)]);
    expect(await ended(3 + i)).toEqual(new Array(3 + i).fill(0));
  }
  stream.close();
});

test('metrics tell of windows, shares and sessions', async () => {
  const text = await (await fetch(`${network.node('validator-0').url}/metrics`)).text();
  expect(text).toMatch(/slipstream_broker_windows_total [1-9]/);
  expect(text).toMatch(/slipstream_broker_shares_total\{kind="missing"\} 1/);
  expect(text).toMatch(/slipstream_broker_stragglers_total 1/);
  expect(text).toMatch(/slipstream_broker_sessions \d/);
});
