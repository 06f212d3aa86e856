/** Operators of a network of this machine, who change its committee. An operator's account has the first network key of its validator. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '@slipstream/checkout';
import {
  buildTransaction,
  type Client,
  generateKeyPair,
  type KeyPair,
  keyPairFrom,
  signTransaction,
} from '@slipstream/client';
import { createBlsSigner, generateBlsSecretKey } from '@slipstream/crypto/native';
import { type Cluster, type ClusterNode, eventually } from '@slipstream/devnet';
import { identityFromSeed } from '@slipstream/network';
import { HOME, readSecret } from '@slipstream/node-home';
import { createRandom } from '@slipstream/platform';
import { fromHex, type PeerKey } from '@slipstream/primitives';
import {
  type Action,
  asId,
  type Change,
  consentMessage,
  type Epoch,
  type ProposalId,
  RULES_VERSION,
  readyMessage,
  type ValidatorId,
  validatorIdOf,
} from '@slipstream/types';
import { BLS_PLACES, writeKeystore, writePeerSeed } from '../../packages/node-home/src/folder/node-keys.ts';

const EPOCH_MS_MAX = 120_000;
const TRANSACTION_MS = 30_000;

export interface NewKeys {
  readonly blsSecret: Uint8Array;
  readonly blsPublicKey: Uint8Array;
  readonly peerKey: PeerKey;
}

export async function operatorOf({ home }: ClusterNode): Promise<KeyPair> {
  return keyPairFrom(await readSecret(join(home, HOME.peerSeed), 'seed of a network key'));
}

/** Returns the id of the transaction, once it is final. */
export async function act(client: Client, by: KeyPair, ...actions: readonly Action[]): Promise<string> {
  const genesisHash = await client.genesisHash();
  const body = buildTransaction({ genesisHash, sender: by.account, actions, expiryMs: Date.now() + TRANSACTION_MS });
  const { id, status, receipt } = await client.submitAndWait(signTransaction(body, by));
  if (status !== 'final' || receipt?.outcome.status !== 'success') {
    throw new Error(`not executed: ${JSON.stringify({ status, receipt })}`);
  }
  return id;
}

/** One operator proposes, the others approve. */
export async function decide(
  client: Client,
  operators: readonly KeyPair[],
  ...changes: readonly Change[]
): Promise<void> {
  const [proposer, ...others] = operators as [KeyPair, ...KeyPair[]];
  await act(client, proposer, { kind: 'propose', changes, notBeforeMs: 0 });
  const { items } = await client.proposals();
  const own = items.find((proposal) => proposal.proposer === proposer.accountText);
  if (own === undefined) throw new Error(`no proposal of ${proposer.accountText}: ${JSON.stringify(items)}`);
  const proposalId = asId<ProposalId>(fromHex(own.id.slice(2)));
  for (const other of others) await act(client, other, { kind: 'approve', proposalId });
}

export async function validatorIdFrom(client: Client, index: number): Promise<ValidatorId> {
  const genesis = (await client.genesis()) as { readonly members: readonly { readonly blsPublicKey: string }[] };
  return validatorIdOf(fromHex(genesis.members[index]?.blsPublicKey.slice(2) as string));
}

/** A BLS key for the node, beside its network key. */
export async function giveBlsKey({ home }: ClusterNode): Promise<NewKeys> {
  const random = createRandom();
  const blsSecret = generateBlsSecretKey(random.bytes(32));
  await writeKeystore(random, home, BLS_PLACES, blsSecret, 'candidate');
  const { peer } = identityFromSeed(await readSecret(join(home, HOME.peerSeed), 'seed of a network key'));
  return { blsSecret, blsPublicKey: createBlsSigner(blsSecret).publicKey, peerKey: peer };
}

/** Both keys of a stopped node that was a validator: those that it had are used up. */
export async function giveFreshKeys(node: ClusterNode): Promise<NewKeys> {
  const { home } = node;
  await rm(join(home, dirname(HOME.nextPeerSeed)), { recursive: true, force: true });
  await writePeerSeed(home, createRandom().bytes(32));
  return giveBlsKey(node);
}

/** Both keys of a rotation, where the node looks for them. */
export async function giveNextKeys({ home }: ClusterNode): Promise<NewKeys> {
  const random = createRandom();
  const blsSecret = generateBlsSecretKey(random.bytes(32));
  const places = { keystore: HOME.nextBlsKeystore, password: HOME.nextBlsPassword };
  await writeKeystore(random, home, places, blsSecret, 'rotation');
  const seed = random.bytes(32);
  await writePeerSeed(home, seed, HOME.nextPeerSeed);
  return { blsSecret, blsPublicKey: createBlsSigner(blsSecret).publicKey, peerKey: identityFromSeed(seed).peer };
}

/** Keys of an earlier rotation take the places of those that they replaced, by the operator's command. */
export async function retireKeys({ home, url }: ClusterNode): Promise<void> {
  const main = join(root, 'apps/node/bin/main.mjs');
  await promisify(execFile)(process.execPath, [main, 'keys', 'retire', '--home', home, '--url', url]);
}

export async function consentOf(client: Client, keys: NewKeys, operator: KeyPair): Promise<Uint8Array> {
  const message = consentMessage(await client.genesisHash(), keys, operator.account);
  return createBlsSigner(keys.blsSecret).signCompressed(message);
}

/** Anyone may send it. */
export async function announceReady(client: Client, keys: NewKeys, version = RULES_VERSION): Promise<void> {
  const { epoch } = await client.status();
  const { blsPublicKey, peerKey } = keys;
  const stated = { blsPublicKey, peerKey, epoch, version };
  const message = readyMessage(await client.genesisHash(), stated);
  const signature = createBlsSigner(keys.blsSecret).signCompressed(message);
  await act(client, generateKeyPair(), { kind: 'ready', ...stated, epoch: epoch as Epoch, signature });
}

export async function untilEpoch({ nodes }: Pick<Cluster, 'nodes'>, epoch: number): Promise<void> {
  await eventually(`epoch ${epoch} on all nodes`, EPOCH_MS_MAX, async () => {
    const seen = await Promise.all(nodes.map(async ({ client }) => (await client.status()).epoch));
    if (seen.every((number) => number >= epoch)) return true;
    throw new Error(`epochs are ${seen.join(', ')}`);
  });
}
