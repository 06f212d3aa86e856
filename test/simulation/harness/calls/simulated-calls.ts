/** Calls of one example on a simulated chain: what genesis says of it, realms for each process, calls by a few random bytes, invariants. */
import type { Applications } from '@slipstream/execution';
import { assert } from '@slipstream/primitives';
import {
  type Action,
  accountKeyText,
  type Call,
  type Genesis,
  type GenesisHash,
  type Receipt,
  stateKeyOfEntry,
} from '@slipstream/types';
import {
  builtApplication,
  exampleSource,
  freshApplications,
  type TestApplication,
} from '../../../../packages/execution/test/application-builders.ts';
import { account, type TransactionForm, transaction } from '../../../../packages/execution/test/builders.ts';

/** Of the accounts 1 to `ACCOUNTS`, which alone have coins. */
export const ACCOUNTS = 6;

/** Of a transaction's random bytes. */
export interface CallBytes {
  /** An account. */
  readonly to: number;
  readonly amount: number;
  readonly salt: number;
}

/** The first state, or the one after a block. */
export interface CheckedState {
  readonly height: number;
  readonly genesisHash: GenesisHash;
  read(key: Uint8Array): Uint8Array | undefined;
}

export interface SimulatedCalls {
  readonly genesis: Genesis['applications'];
  /** In new realms. */
  open(): Applications;
  action(bytes: CallBytes, genesisHash: GenesisHash): Action;
  /** Of the same transaction, after it. Default: none. */
  readonly more?: (bytes: CallBytes) => readonly Action[];
  /** What several chunks may have, each time with the same id, which other calls name: by a random byte. Undefined: plain transfers. */
  readonly repeated?: (number: number) => Omit<TransactionForm, 'genesisHash'>;
  /** What holds after each block. Throws. */
  check(state: CheckedState): void;
  /** Of the final chain, in its order. Default: nothing counts them. */
  readonly ended?: (call: Call, receipt: Receipt) => void;
}

/** Id of a repeated transaction. */
export const idIn = (repeated: Omit<TransactionForm, 'genesisHash'>, genesisHash: GenesisHash): Uint8Array =>
  transaction({ ...repeated, genesisHash }).id;

export const textOf = (number: number): string => accountKeyText(account(number));

const built = new Map<string, Promise<TestApplication>>();

export function example(name: Parameters<typeof exampleSource>[0]): Promise<TestApplication> {
  const known = built.get(name) ?? builtApplication(exampleSource(name));
  built.set(name, known);
  return known;
}

export const openAlone =
  (application: TestApplication): SimulatedCalls['open'] =>
  () =>
    freshApplications([application]);

/** The value under a table's key, both as JSON; undefined: no entry. The application is the chain's only one. */
export function entryOf({ json }: TestApplication, { read }: CheckedState, table: number, key: unknown): unknown {
  const value = read(stateKeyOfEntry(0, table, json.keyFromJson(table, key)));
  return value === undefined ? undefined : json.valueToJson(table, value).value;
}

export function requireEqual(seen: bigint, expected: bigint, what: string): void {
  assert(seen === expected, `${what}: ${seen}, expected ${expected}`);
}
