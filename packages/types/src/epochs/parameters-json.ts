/** JSON forms of parameters and governance, in the genesis file and in proposals. */
import { to0x } from '@slipstream/primitives';
import { type AccountKey, accountKeyText } from '../account.ts';
import { requireAccount } from '../actions/json.ts';
import type { Json, JsonReader } from '../json-reader.ts';
import { BLS_PUBLIC_KEY_BYTES, ED25519_PUBLIC_KEY_BYTES } from '../limits.ts';
import { UNIT_DIMENSIONS } from '../units.ts';
import { ADMINISTRATORS_MAX, type Governance, governanceFaults } from './governance.ts';
import {
  type FeeParameters,
  TIME_NAMES,
  type TimeParameters,
  TRUSTED_ISSUERS_MAX,
  timeFaults,
  WINDOW_BLOCKS_MAX,
} from './parameters.ts';

export interface FeesJson {
  readonly initialPrices: readonly string[];
  readonly minimumPrices: readonly string[];
  readonly targets: readonly string[];
  readonly limits: readonly string[];
  readonly windowBlocks: number;
}

export interface GovernanceJson {
  readonly administrators: readonly string[];
  readonly approvals: number;
}

const UINT32_MAX = 2 ** 32 - 1;
const NO_ACCOUNT: AccountKey = { scheme: 'ed25519', bytes: new Uint8Array(ED25519_PUBLIC_KEY_BYTES) };

export function feesToJson(fees: FeeParameters): FeesJson {
  const decimal = (values: readonly (bigint | number)[]) => values.map(String);
  return {
    initialPrices: decimal(fees.initialPrices),
    minimumPrices: decimal(fees.minimumPrices),
    targets: decimal(fees.targets),
    limits: decimal(fees.limits),
    windowBlocks: fees.windowBlocks,
  };
}

export function readFees(reader: JsonReader, root: Json): FeeParameters {
  const fees = reader.object(root.fees, 'fees');
  const dimensions = UNIT_DIMENSIONS.length;
  const prices = (key: string) =>
    reader
      .list(fees[key], `fees.${key}`, dimensions, dimensions)
      .map((price, i) => reader.amount(price, `fees.${key}[${i}]`));
  const units = (key: string) =>
    reader
      .list(fees[key], `fees.${key}`, dimensions, dimensions)
      .map((unit, i) => reader.integer(unit, `fees.${key}[${i}]`, 0));
  return {
    initialPrices: prices('initialPrices'),
    minimumPrices: prices('minimumPrices'),
    targets: units('targets'),
    limits: units('limits'),
    windowBlocks: reader.integer(fees.windowBlocks, 'fees.windowBlocks', 1, WINDOW_BLOCKS_MAX),
  };
}

export function readTimes(reader: JsonReader, root: Json): TimeParameters {
  const json = reader.object(root.times, 'times');
  const before = reader.faults.length;
  const times = Object.fromEntries(
    TIME_NAMES.map((name) => [name, reader.integer(json[name], `times.${name}`, 0, UINT32_MAX)]),
  ) as unknown as TimeParameters;
  if (reader.faults.length === before) reader.faults.push(...timeFaults(times).map((fault) => `times: ${fault}`));
  return times;
}

/** Undefined when it is missing. */
export function readReputation(reader: JsonReader, root: Json): boolean | undefined {
  const { leaderReputation } = root;
  if (leaderReputation === undefined || typeof leaderReputation === 'boolean') return leaderReputation;
  reader.faults.push('leaderReputation: must be true or false');
  return undefined;
}

export function readIssuers(reader: JsonReader, root: Json): readonly Uint8Array[] {
  return reader
    .list(root.trustedIssuers, 'trustedIssuers', TRUSTED_ISSUERS_MAX)
    .map((key, i) => reader.bytes(key, `trustedIssuers[${i}]`, BLS_PUBLIC_KEY_BYTES));
}

export const issuersToJson = (issuers: readonly Uint8Array[]): readonly string[] => issuers.map(to0x);

export function governanceToJson({ administrators, approvals }: Governance): GovernanceJson {
  return { administrators: administrators.map(accountKeyText), approvals };
}

export function readGovernance(reader: JsonReader, root: Json): Governance {
  const json = reader.object(root.governance, 'governance');
  const before = reader.faults.length;
  const governance = {
    administrators: reader
      .list(json.administrators, 'governance.administrators', ADMINISTRATORS_MAX)
      .map((text, i) => readAccount(reader, text, `governance.administrators[${i}]`)),
    approvals: reader.integer(json.approvals, 'governance.approvals', 0, ADMINISTRATORS_MAX),
  };
  if (reader.faults.length === before) {
    reader.faults.push(...governanceFaults(governance).map((fault) => `governance: ${fault}`));
  }
  return governance;
}

export function readAccount(reader: JsonReader, value: unknown, path: string): AccountKey {
  return reader.parse(path, NO_ACCOUNT, () => {
    if (typeof value !== 'string') throw new RangeError('must be a string');
    return requireAccount(value);
  });
}
