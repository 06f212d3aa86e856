/** The example token as a load: half of the transactions are transfers of it. */
import { fileURLToPath } from 'node:url';
import type { ApplicationManifest } from '@slipstream/app/program';
import { buildTransaction, type Client, type KeyPair, keyPairFrom, signTransaction } from '@slipstream/client';
import { type FoundingApplication, foundingApplication } from '@slipstream/node-home/applications';
import { sha256, utf8 } from '@slipstream/primitives';
import { ACTIONS_MAX, type AccountKey, type GenesisHash } from '@slipstream/types';
import { LoadError } from '../errors.ts';
import { TOKEN, tokenTransfers } from './token-transfers.ts';

const SOURCE = fileURLToPath(new URL('../../../../docs/integrators/examples/applications/token.ts', import.meta.url));
const SUPPLY = 10n ** 18n;
/** Pays a million transfers of 1. */
const FUNDS = 1_000_000n;
const FEES = 1_000_000_000n;
const LIFE_MS = 50_000;
const AT_ONCE = 8;

/** Has the whole supply at first. */
function holderOf(seed: string): KeyPair {
  return keyPairFrom(sha256(utf8(`slipstream load token ${seed}`)));
}

export async function tokenInGenesis(seed: string): Promise<FoundingApplication> {
  const { buildApplication } = await import('@slipstream/app-build');
  const { artifact } = await buildApplication(SOURCE, { isLockFrozen: true });
  const holders = [{ owner: holderOf(seed).accountText, value: SUPPLY.toString() }];
  return foundingApplication(artifact, { holders });
}

/** Throws LoadError `nodes-unfit` for a chain without it. */
export async function tokenManifest(client: Client): Promise<ApplicationManifest> {
  const { applications } = await client.call('applications');
  const found = applications.find(({ name }) => name === TOKEN);
  if (found === undefined) throw new LoadError('nodes-unfit', 'the chain runs no token: leave --nodes out');
  return found.manifest as unknown as ApplicationManifest;
}

interface TokenFunding {
  readonly client: Client;
  readonly genesisHash: GenesisHash;
  readonly manifest: ApplicationManifest;
  readonly seed: string;
  readonly accounts: readonly AccountKey[];
  readonly maxFee: bigint;
}

/** Resolves when each account has tokens. Throws LoadError `funding-failed`. */
export async function fundTokens({ accounts, ...funding }: TokenFunding): Promise<void> {
  const { client, maxFee, seed } = funding;
  if (maxFee > 0n) await client.faucet(holderOf(seed).accountText, { amount: FEES, wait: 'final', timeoutMs: LIFE_MS });
  const payments = Array.from({ length: Math.ceil(accounts.length / ACTIONS_MAX) }, (_, i) =>
    accounts.slice(i * ACTIONS_MAX, (i + 1) * ACTIONS_MAX),
  );
  for (let at = 0; at < payments.length; at += AT_ONCE)
    await Promise.all(payments.slice(at, at + AT_ONCE).map((some) => pay(funding, some)));
}

async function pay(
  { client, genesisHash, manifest, seed, maxFee }: Omit<TokenFunding, 'accounts'>,
  accounts: readonly AccountKey[],
): Promise<void> {
  const holder = holderOf(seed);
  const transfer = tokenTransfers(manifest);
  const actions = accounts.map((account) => transfer(account, FUNDS));
  const expiryMs = Date.now() + LIFE_MS;
  const body = buildTransaction({ genesisHash, sender: holder.account, actions, expiryMs, maxFee });
  const { status, id, failure } = await client.submitAndWait(signTransaction(body, holder));
  if (status === 'final') return;
  throw new LoadError('funding-failed', `giving tokens to the load's accounts: ${id} is ${status} ${failure ?? ''}`);
}
