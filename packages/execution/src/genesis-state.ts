/**
 * Genesis state: the batch of block 0.
 *
 * Generated accounts (test chains of millions) are not listed: account i of a seed has the secret SHA-256(seed || i as u32,
 * little-endian), so a load generator with the genesis file can sign for all of them. The caller supplies the Ed25519 derivation.
 */
import { assert, compareBytes, concatBytes, sha256, uint32le } from '@slipstream/primitives';
import { type AccountKey, ed25519Account, type Genesis } from '@slipstream/types';
import { encodeBalance } from './account-value.ts';
import { AMOUNT_MAX } from './amount.ts';
import { type Applications, NO_APPLICATIONS } from './applications/applications.ts';
import { applicationWrites } from './applications/genesis.ts';
import { directoryEntries } from './directory/directory.ts';
import { epochEntries } from './epochs/genesis-entries.ts';
import { ExecutionError } from './errors.ts';
import { encodeFees, initialFees } from './fees.ts';
import { type PackedKeys, packGeneratedKeys } from './generated-keys.ts';
import { accountStateKey, FEES_KEY } from './state-keys.ts';
import type { Write } from './write-columns.ts';

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
 * In key order: balances, then fees, the directory, applications and what an epoch consists of. Duplicate accounts are summed. The keys of generated accounts are derived at the first
 * iteration and kept, 34 bytes each; the entries are built again at every one.
 * Throws ExecutionError `supply-overflow` above 2^64 - 1 in total; so no sum of balances ever overflows. Iterating throws what an
 * application of genesis gives cause for: `application-differs`, `application-genesis`.
 */
export function genesisEntries(
  genesis: Genesis,
  publicKeyOf: PublicKeyOf,
  applications: Applications = NO_APPLICATIONS,
): Iterable<Write> {
  checkSupply(genesis);
  const listed = listedAccounts(genesis);
  const { seed, balance } = genesis.generated;
  let generated: PackedKeys | undefined;
  let system: readonly Write[] | undefined;
  return {
    *[Symbol.iterator]() {
      generated ??= packGeneratedKeys(genesis.generated, (index) => generatedAccount(seed, index, publicKeyOf));
      for (const owner of inKeyOrder(listed, generated, balance)) {
        const value = encodeBalance(owner.balance);
        if (value !== undefined) yield { key: owner.key, value };
      }
      system ??= systemEntries(genesis, applications);
      yield* system;
    },
  };
}

/** All entries at once, for chains of few accounts. Throws as `genesisEntries`. */
export const genesisBatch = (...arguments_: Parameters<typeof genesisEntries>): readonly Write[] => [
  ...genesisEntries(...arguments_),
];

function systemEntries(genesis: Genesis, applications: Applications): readonly Write[] {
  const fees = { key: FEES_KEY.bytes, value: encodeFees(initialFees(genesis.fees)) };
  const directory = genesis.distilled === undefined ? [] : directoryEntries(genesis.distilled);
  const own = applicationWrites(genesis, applications);
  return [...epochEntries(genesis), ...directory, ...own, fees].sort((a, b) => compareBytes(a.key, b.key));
}

interface Owner {
  readonly key: Uint8Array;
  readonly balance: bigint;
}

/** Throws ExecutionError `supply-overflow`. */
function checkSupply({ allocations, generated }: Genesis): void {
  const supply = allocations.reduce((sum, { balance }) => sum + balance, BigInt(generated.count) * generated.balance);
  if (supply > AMOUNT_MAX) {
    throw new ExecutionError('supply-overflow', `the genesis hands out more than ${AMOUNT_MAX} in all: lower it`, {});
  }
}

/** Summed by account, in key order. */
function listedAccounts({ allocations }: Genesis): readonly Owner[] {
  const owners = new Map<string, Owner>();
  for (const { account, balance } of allocations) {
    const { bytes, text } = accountStateKey(account);
    owners.set(text, { key: bytes, balance: (owners.get(text)?.balance ?? 0n) + balance });
  }
  return [...owners.values()].sort((a, b) => compareBytes(a.key, b.key));
}

function* inKeyOrder(listed: readonly Owner[], generated: PackedKeys, balance: bigint): Generator<Owner> {
  let next = 0;
  for (let i = 0; i < generated.count; i++) {
    const key = generated.at(i);
    let total = balance;
    for (let owner = listed[next]; owner !== undefined; owner = listed[++next]) {
      const order = compareBytes(owner.key, key);
      if (order > 0) break;
      if (order < 0) yield owner;
      else total += owner.balance;
    }
    yield { key, balance: total };
  }
  yield* listed.slice(next);
}
