/** Enters the accounts of a bench into the directory, by ordinary transactions, as many a block as its bound allows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTransaction, type Client, encodeSigned, keyPairFrom } from '@slipstream/client';
import type { DistilleryKeys } from '@slipstream/client/distillery';
import { createBlsSigner, ed25519Sign, generateBlsSecretKey } from '@slipstream/crypto/native';
import { generatedSecret } from '@slipstream/execution';
import { fromHex, sha256, to0x, utf8 } from '@slipstream/primitives';
import { type AccountView, MANY_ACCOUNTS_MAX } from '@slipstream/schema';
import { type GenesisHash, registrationMessage, transactionIdOf } from '@slipstream/types';
import { decodePublicKey } from '../../../packages/crypto/src/native/binding.ts';
import { print } from '../../print.ts';

export interface Registered extends DistilleryKeys {
  readonly index: number;
}

type Known = Omit<Registered, 'index'>;

/** Below the bound of a block, which a chunk that comes late would pass. */
const PER_BLOCK = 60;
const PASSES_MAX = 20;
const READS_AT_ONCE = 16;

/** Ascending by index. */
export async function registerAll(client: Client, count: number): Promise<readonly Registered[]> {
  const genesisHash = await client.genesisHash();
  const { generated } = (await client.genesis()) as { readonly generated: { readonly seed: string } };
  const keys = Array.from({ length: count }, (_, i) => keysOf(fromHex(generated.seed), i));
  const found = new Map<Known, number>();
  for (let pass = 0; pass < PASSES_MAX && found.size < count; pass++) {
    const left = keys.filter((each) => !found.has(each));
    for (let at = 0; at < left.length; at += PER_BLOCK) {
      const part = left.slice(at, at + PER_BLOCK).map((each) => registration(each, genesisHash));
      await client.submitBatch(part);
      await untilAbove(client, (await client.status()).height);
    }
    await readIndices(client, left, found);
    print(`  ${found.size} of ${count} accounts are in the directory`);
  }
  if (found.size < count) throw new Error(`only ${found.size} of ${count} accounts were registered`);
  return [...found].map(([each, index]) => ({ ...each, index })).sort((a, b) => a.index - b.index);
}

function keysOf(seed: Uint8Array, i: number): Known {
  const account = keyPairFrom(generatedSecret(seed, i));
  const secret = generateBlsSecretKey(sha256(utf8(`bench ${to0x(seed)} ${i}`)));
  const key = decodePublicKey(createBlsSigner(secret).publicKey);
  if (key === undefined) throw new Error('a key of a signer decodes');
  return { account, bls: { secret, publicKey: new Uint8Array(key.toBytes(false)) } };
}

function registration({ account, bls }: Known, genesisHash: GenesisHash) {
  const message = registrationMessage(genesisHash, account.account, bls.publicKey);
  const proof = createBlsSigner(bls.secret).signCompressed(message);
  const action = { kind: 'register', blsKey: bls.publicKey, proof } as const;
  const terms = { genesisHash, sender: account.account, actions: [action], expiryMs: Date.now() + 30_000 };
  const body = buildTransaction(terms);
  const signature = ed25519Sign(transactionIdOf(body), account.secret);
  return encodeSigned({ body, auth: { scheme: 'ed25519', signature } });
}

async function readIndices(client: Client, keys: readonly Known[], found: Map<Known, number>): Promise<void> {
  await untilAbove(client, (await client.status()).height + 3);
  const views = await accountViews(client, keys);
  for (const [i, each] of keys.entries()) {
    const index = views[i]?.index;
    if (index !== undefined) found.set(each, index);
  }
}

/** In that order. */
export async function accountViews(client: Client, keys: readonly Known[]): Promise<readonly AccountView[]> {
  const views: AccountView[] = [];
  const starts = Array.from({ length: Math.ceil(keys.length / MANY_ACCOUNTS_MAX) }, (_, i) => i * MANY_ACCOUNTS_MAX);
  await inParts(starts, async (at) => {
    const part = keys.slice(at, at + MANY_ACCOUNTS_MAX).map(({ account }) => account.accountText);
    const { items } = await client.accounts(part);
    if (items.length < part.length) throw new Error('the node did not answer for each account');
    for (const [i, view] of items.entries()) views[at + i] = view;
  });
  return views;
}

/** Some at once. */
export async function inParts<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const workers = Array.from({ length: READS_AT_ONCE }, async () => {
    for (const item of left) await work(item);
  });
  await Promise.all(workers);
}

export async function untilAbove(client: Client, height: number): Promise<void> {
  while ((await client.status()).height <= height) await sleep(50);
}
