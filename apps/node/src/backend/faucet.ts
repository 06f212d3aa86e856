/** Transfers from the account that a development chain's genesis funded. */
import { ed25519PublicKey, ed25519Sign } from '@slipstream/crypto/native';
import type { Clock, Random } from '@slipstream/ports';
import {
  type AccountKey,
  ed25519Account,
  feeOf,
  forecastPrices,
  type GenesisHash,
  type TransactionBody,
  transactionCodec,
  transactionIdOf,
  unitsOf,
} from '@slipstream/types';

const FAUCET_AMOUNT_DEFAULT = 1_000_000_000n;
/** One call must not empty the faucet. */
const FAUCET_AMOUNT_MAX = 1_000_000_000_000n;

const LIFE_MS = 30_000;
const SALT_BYTES = 8;
const SIGNATURE_BYTES = 64;

interface FaucetSetting {
  readonly genesisHash: GenesisHash;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

type FaucetTransfer = (to: AccountKey, amount: bigint | undefined) => Promise<Uint8Array>;

interface FaucetComponents {
  readonly clock: Clock;
  readonly random: Random;
  readonly fees: () => Promise<{ readonly prices: readonly bigint[]; readonly minimumPrices: readonly bigint[] }>;
}

export function createFaucet(
  { clock, random, fees }: FaucetComponents,
  { genesisHash, secret }: FaucetSetting,
): FaucetTransfer {
  const sender = ed25519Account(ed25519PublicKey(secret));
  return async (to, asked = FAUCET_AMOUNT_DEFAULT) => {
    const amount = asked > FAUCET_AMOUNT_MAX ? FAUCET_AMOUNT_MAX : asked;
    const draft: TransactionBody = {
      genesisHash,
      sender,
      expiryMs: clock.wallMs() + LIFE_MS,
      salt: random.bytes(SALT_BYTES),
      maxFee: 0n,
      actions: [{ kind: 'transfer', to, amount }],
    };
    const { prices, minimumPrices } = await fees();
    const later = forecastPrices(prices, minimumPrices);
    const body = { ...draft, maxFee: feeOf(unitsOfDraft(draft), later) };
    const signature = ed25519Sign(transactionIdOf(body), secret);
    return transactionCodec.encode({ body, auth: { scheme: 'ed25519', signature } });
  };
}

function unitsOfDraft(body: TransactionBody) {
  const transaction = { body, auth: { scheme: 'ed25519', signature: new Uint8Array(SIGNATURE_BYTES) } } as const;
  return unitsOf(transaction, transactionCodec.encode(transaction).length);
}
