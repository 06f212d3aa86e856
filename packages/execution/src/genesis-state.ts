/**
 * Genesis state: the batch of block 0.
 *
 * Generated accounts (test chains of millions) are not listed: account i of a seed has the secret SHA-256(seed || i as u32,
 * little-endian), so a load generator with the genesis file can sign for all of them. The caller supplies the Ed25519 derivation.
 */
import { assert, concatBytes, sha256, uint32le } from '@slipstream/primitives';
import { type AccountKey, ed25519Account, type Genesis } from '@slipstream/types';
import { AMOUNT_MAX, addAmounts } from './amount.ts';
import { ExecutionError } from './errors.ts';
import { encodeFees, initialFees } from './fees.ts';
import type { Batch } from './overlay.ts';
import { accountStateKey, encodeBalance, FEES_KEY, type StateKey } from './state-keys.ts';

/** 32-byte Ed25519 secret (seed of RFC 8032) to public key. */
type PublicKeyOf = (secret: Uint8Array) => Uint8Array;

const GENERATED_MAX = 2 ** 32;

export function generatedSecret(seed: Uint8Array, index: number): Uint8Array {
  assert(Number.isInteger(index) && index >= 0 && index < GENERATED_MAX, 'an account index is 32 bits');
  return sha256(concatBytes(seed, uint32le(index)));
}

export function generatedAccount(seed: Uint8Array, index: number, publicKeyOf: PublicKeyOf): AccountKey {
  return ed25519Account(publicKeyOf(generatedSecret(seed, index)));
}

/**
 * Balances in key order, then the fee state. Duplicate accounts are summed.
 * Throws ExecutionError `supply-overflow` above 2^64 - 1 in total; so no sum of balances ever overflows.
 */
export function genesisBatch(genesis: Genesis, publicKeyOf: PublicKeyOf): Batch {
  const balances = new Map<string, { readonly key: StateKey; readonly balance: bigint }>();
  let supply = 0n;

  function credit(account: AccountKey, amount: bigint): void {
    const total = addAmounts(supply, amount);
    if (total === undefined) {
      throw new ExecutionError('supply-overflow', `the genesis hands out more than ${AMOUNT_MAX} in all: lower it`, {});
    }
    supply = total;
    const key = accountStateKey(account);
    balances.set(key.text, { key, balance: (balances.get(key.text)?.balance ?? 0n) + amount });
  }

  for (const { account, balance } of genesis.allocations) credit(account, balance);
  const { seed, count, balance } = genesis.generated;
  for (let i = 0; i < count; i++) credit(generatedAccount(seed, i, publicKeyOf), balance);

  const owners = [...balances.values()].filter((entry) => entry.balance > 0n);
  owners.sort((a, b) => (a.key.text < b.key.text ? -1 : 1));
  return [
    ...owners.map((entry) => ({ key: entry.key.bytes, value: encodeBalance(entry.balance) })),
    { key: FEES_KEY.bytes, value: encodeFees(initialFees(genesis.fees)) },
  ];
}
