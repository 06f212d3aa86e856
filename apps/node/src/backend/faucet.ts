/** Transfers from the account that a development chain's genesis funded. */
import type { Clock, Random } from '@slipstream/ports';
import type { AccountKey, GenesisHash } from '@slipstream/types';
import { createTransactionSigner, type Prices } from '../account/signed-transaction.ts';

const FAUCET_AMOUNT_DEFAULT = 1_000_000_000n;
/** One call must not empty the faucet. */
const FAUCET_AMOUNT_MAX = 1_000_000_000_000n;

interface FaucetSetting {
  readonly genesisHash: GenesisHash;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

type FaucetTransfer = (to: AccountKey, amount: bigint | undefined) => Promise<Uint8Array>;

interface FaucetComponents {
  readonly clock: Clock;
  readonly random: Random;
  readonly fees: () => Promise<Prices>;
}

export function createFaucet({ clock, random, fees }: FaucetComponents, setting: FaucetSetting): FaucetTransfer {
  const signer = createTransactionSigner({ clock, random }, setting);
  return async (to, asked = FAUCET_AMOUNT_DEFAULT) => {
    const amount = asked > FAUCET_AMOUNT_MAX ? FAUCET_AMOUNT_MAX : asked;
    return signer.sign([{ kind: 'transfer', to, amount }], await fees()).bytes;
  };
}
