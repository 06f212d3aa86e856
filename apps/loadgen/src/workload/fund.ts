/** Pays the accounts of a load on a chain that has not generated them: faucet, then the load's treasury, then many accounts at once. */
import {
  buildTransaction,
  type Client,
  ClientError,
  type KeyPair,
  keyPairFrom,
  signTransaction,
} from '@slipstream/client';
import { generatedSecret } from '@slipstream/execution';
import { type AccountKey, type Action, type GenesisHash, TRANSFER_MANY_OUTPUTS_MAX } from '@slipstream/types';
import { LoadError } from '../errors.ts';

interface FundingPlan {
  readonly client: Client;
  readonly genesisHash: GenesisHash;
  /** Seed of the load's accounts; the treasury is its last account. */
  readonly accountsSeed: Uint8Array;
  readonly accounts: readonly AccountKey[];
  readonly maxFee: bigint;
}

/** Pays a million transfers of 1, and fees. */
const FUNDS = 1_000_000n;
const TREASURY_INDEX = 2 ** 32 - 1;
/** Maximum of one faucet request. */
const FAUCET_MAX = 1_000_000_000_000n;
const LIFE_MS = 50_000;
const AT_ONCE = 8;

/** Resolves when every payment is final. Throws LoadError `funding-failed`. */
export async function fundAccounts(plan: FundingPlan): Promise<void> {
  const { client, accounts, maxFee } = plan;
  const treasury = keyPairFrom(generatedSecret(plan.accountsSeed, TREASURY_INDEX));
  const payments = Math.ceil(accounts.length / TRANSFER_MANY_OUTPUTS_MAX);
  const needed = BigInt(accounts.length) * FUNDS + BigInt(payments) * maxFee;
  for (let missing = needed; missing > 0n; missing -= FAUCET_MAX) await askFaucet(client, treasury, missing);
  for (let at = 0; at < payments; at += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, payments - at) }, (_, index) => at + index);
    await Promise.all(some.map((payment) => pay(plan, treasury, payment)));
  }
}

async function askFaucet(client: Client, treasury: KeyPair, missing: bigint): Promise<void> {
  const amount = missing < FAUCET_MAX ? missing : FAUCET_MAX;
  try {
    const { status, id } = await client.faucet(treasury.accountText, { amount, wait: 'final', timeoutMs: LIFE_MS });
    if (status !== 'final') throw new LoadError('funding-failed', `the faucet's transaction ${id} is ${status}`);
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'faucet-off') throw error;
    const message =
      'the chain has neither a faucet nor enough generated accounts: make one with slipstream init --generated-accounts N';
    throw new LoadError('funding-failed', message, {}, error);
  }
}

async function pay({ client, genesisHash, accounts, maxFee }: FundingPlan, from: KeyPair, payment: number) {
  const first = payment * TRANSFER_MANY_OUTPUTS_MAX;
  const outputs = accounts
    .slice(first, first + TRANSFER_MANY_OUTPUTS_MAX)
    .map((account) => ({ to: account, amount: FUNDS }));
  const action: Action = { kind: 'transferMany', outputs };
  const expiryMs = Date.now() + LIFE_MS;
  const body = buildTransaction({ genesisHash, sender: from.account, actions: [action], expiryMs, maxFee });
  const { status, id } = await client.submitAndWait(signTransaction(body, from));
  if (status !== 'final') throw new LoadError('funding-failed', `paying the load's accounts: ${id} is ${status}`);
}
