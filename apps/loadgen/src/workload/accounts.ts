/**
 * The accounts of a load, by index: those that genesis generates (packages/execution, "generated accounts"), or accounts of
 * the load's own seed, derived by the same rule. Keys are derived at first use, because a load draws few of millions.
 */
import { ed25519PublicKey } from '@slipstream/crypto/native';
import { generatedSecret } from '@slipstream/execution';
import { type AccountKey, ed25519Account } from '@slipstream/types';

interface LoadAccount {
  readonly secret: Uint8Array;
  readonly account: AccountKey;
}

interface LoadAccounts {
  at(index: number): LoadAccount;
}

/** Cached keys: 200,000 take about 40 MB, and frequently drawn ones are among the first. */
const KEPT_MAX = 200_000;

export function createLoadAccounts(seed: Uint8Array): LoadAccounts {
  const kept = new Map<number, LoadAccount>();
  return {
    at(index) {
      const known = kept.get(index);
      if (known !== undefined) return known;
      const secret = generatedSecret(seed, index);
      const derived = { secret, account: ed25519Account(ed25519PublicKey(secret)) };
      if (kept.size < KEPT_MAX) kept.set(index, derived);
      return derived;
    },
  };
}
