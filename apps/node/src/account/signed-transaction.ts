/** Transactions that this node signs itself: of its faucet, and of the account that pays for its reports. */
import { ed25519PublicKey, ed25519Sign } from '@slipstream/crypto/native';
import type { Clock, Random } from '@slipstream/ports';
import {
  type AccountKey,
  type Action,
  ed25519Account,
  feeOf,
  forecastPrices,
  type GenesisHash,
  type TransactionBody,
  transactionCodec,
  transactionIdOf,
  unitsOf,
} from '@slipstream/types';

const LIFE_MS = 30_000;
const SALT_BYTES = 8;
const SIGNATURE_BYTES = 64;

export interface Prices {
  readonly prices: readonly bigint[];
  readonly minimumPrices: readonly bigint[];
}

interface SignerSetting {
  readonly genesisHash: GenesisHash;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

interface SignedTransaction {
  /** Serialized. */
  readonly bytes: Uint8Array;
  /** Covers prices that rise while it waits. */
  readonly maxFee: bigint;
}

interface TransactionSigner {
  readonly account: AccountKey;
  sign(actions: readonly Action[], prices: Prices): SignedTransaction;
}

export function createTransactionSigner(
  { clock, random }: { readonly clock: Pick<Clock, 'wallMs'>; readonly random: Pick<Random, 'bytes'> },
  { genesisHash, secret }: SignerSetting,
): TransactionSigner {
  const account = ed25519Account(ed25519PublicKey(secret));
  return {
    account,
    sign(actions, { prices, minimumPrices }) {
      const draft: TransactionBody = {
        genesisHash,
        sender: account,
        expiryMs: clock.wallMs() + LIFE_MS,
        salt: random.bytes(SALT_BYTES),
        maxFee: 0n,
        actions,
      };
      const maxFee = feeOf(unitsOfDraft(draft), forecastPrices(prices, minimumPrices));
      const body = { ...draft, maxFee };
      const signature = ed25519Sign(transactionIdOf(body), secret);
      return { bytes: transactionCodec.encode({ body, auth: { scheme: 'ed25519', signature } }), maxFee };
    },
  };
}

function unitsOfDraft(body: TransactionBody) {
  const transaction = { body, auth: { scheme: 'ed25519', signature: new Uint8Array(SIGNATURE_BYTES) } } as const;
  return unitsOf(transaction, transactionCodec.encode(transaction).length);
}
