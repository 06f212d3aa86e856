/** Bounds of the account directory and of distilled batches, in genesis. A chain without them has neither. */
import { ContainerType } from '@slipstream/primitives';
import type { Json, JsonReader } from '../json-reader.ts';
import { uint32 } from '../subject-wire.ts';

export interface DistilledParameters {
  /** Entries of the directory. */
  readonly accountsMax: number;
  /** Distilled rows of a block. */
  readonly rowsPerBlock: number;
  readonly registrationsPerBlock: number;
}

/** About 4 GB of state. */
const ACCOUNTS_MAX = 2 ** 24;
/** A block of so many rows takes a node about half a second. */
const ROWS_PER_BLOCK_MAX = 2 ** 18;
/** Each has a BLS check of its own. */
const REGISTRATIONS_PER_BLOCK_MAX = 1024;

export const distilledParametersType = new ContainerType({
  accountsMax: uint32,
  rowsPerBlock: uint32,
  registrationsPerBlock: uint32,
});

export const DISTILLED_DEFAULTS: DistilledParameters = {
  accountsMax: 1_000_000,
  rowsPerBlock: 65_536,
  registrationsPerBlock: 64,
};

/** Undefined when it is missing; missing fields have their defaults. */
export function readDistilled(reader: JsonReader, root: Json): DistilledParameters | undefined {
  if (root.distilled === undefined) return undefined;
  const json = reader.object(root.distilled, 'distilled');
  const bounded = (name: keyof DistilledParameters, max: number) =>
    json[name] === undefined ? DISTILLED_DEFAULTS[name] : reader.integer(json[name], `distilled.${name}`, 1, max);
  return {
    accountsMax: bounded('accountsMax', ACCOUNTS_MAX),
    rowsPerBlock: bounded('rowsPerBlock', ROWS_PER_BLOCK_MAX),
    registrationsPerBlock: bounded('registrationsPerBlock', REGISTRATIONS_PER_BLOCK_MAX),
  };
}
