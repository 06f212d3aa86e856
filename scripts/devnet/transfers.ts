/** Funded accounts, and transfers among them, signed by the native library: a load must not be what is measured. */
import { buildTransaction, type Client, keyPairFrom, signTransaction } from '@slipstream/client';
import { ed25519PublicKey, ed25519Sign } from '@slipstream/crypto/native';
import { to0x } from '@slipstream/primitives';
import {
  type AccountKey,
  type Action,
  ed25519Account,
  type GenesisHash,
  TRANSFER_MANY_OUTPUTS_MAX,
  transactionCodec,
  transactionIdOf,
} from '@slipstream/types';

export interface FundedAccount {
  readonly secret: Uint8Array;
  readonly account: AccountKey;
}

export interface SignedTransfer {
  readonly id: string;
  /** 0x text of the serialization. */
  readonly bytes: string;
  readonly expiryMs: number;
}

const FUNDS = 1_000_000_000n;
const FUNDING_LIFE_MS = 30_000;

export function makeAccounts(count: number): readonly FundedAccount[] {
  return Array.from({ length: count }, () => {
    const secret = crypto.getRandomValues(new Uint8Array(32));
    return { secret, account: ed25519Account(ed25519PublicKey(secret)) };
  });
}

/** Pays each account from the faucet's; returns when all is final. */
export async function fund(
  client: Client,
  genesisHash: GenesisHash,
  faucetSecret: Uint8Array,
  accounts: readonly FundedAccount[],
): Promise<void> {
  const faucet = keyPairFrom(faucetSecret);
  for (let at = 0; at < accounts.length; at += TRANSFER_MANY_OUTPUTS_MAX) {
    const outputs = accounts
      .slice(at, at + TRANSFER_MANY_OUTPUTS_MAX)
      .map(({ account }) => ({ to: account, amount: FUNDS }));
    const action: Action = { kind: 'transferMany', outputs };
    const expiryMs = Date.now() + FUNDING_LIFE_MS;
    const body = buildTransaction({ genesisHash, sender: faucet.account, actions: [action], expiryMs });
    const { status } = await client.submitAndWait(signTransaction(body, faucet));
    if (status !== 'final') throw new Error(`funding the accounts of the load failed: the transaction is ${status}`);
  }
}

export function signTransfer(
  genesisHash: GenesisHash,
  from: FundedAccount,
  to: FundedAccount,
  expiryMs: number,
): SignedTransfer {
  const action: Action = { kind: 'transfer', to: to.account, amount: 1n };
  const body = buildTransaction({ genesisHash, sender: from.account, actions: [action], expiryMs });
  const id = transactionIdOf(body);
  const auth = { scheme: 'ed25519', signature: ed25519Sign(id, from.secret) } as const;
  return { id: to0x(id), bytes: to0x(transactionCodec.encode({ body, auth })), expiryMs };
}
