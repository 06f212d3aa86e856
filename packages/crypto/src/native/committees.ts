/**
 * The committees that a verifier knows, by epoch.
 *
 * A value that changes by replacement: a request keeps the one of when it was made, so what waits in a lane is still judged by a committee
 * that is dropped meanwhile.
 */
import type { EpochKeys } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import { BLS_PUBLIC_KEY_BYTES, COMMITTEE_MEMBERS_MAX } from '@slipstream/types';
import { CryptoError } from '../errors.ts';
import { type CommitteeKeys, checkPublicKeys, createCommitteeKeys } from './committee-keys.ts';

export type Committees = ReadonlyMap<number, CommitteeKeys>;

const NO_COMMITTEES: Committees = new Map();

/** The epoch, its neighbours, and those that chunks may still be of. */
const COMMITTEES_MAX = 16;
/** As signed and on the wire: uint32. */
const EPOCH_MAX = 2 ** 32 - 1;

/** The same value for a known epoch. Throws CryptoError `invalid-committee`. */
export function withCommittee(committees: Committees, epoch: number, publicKeys: readonly Uint8Array[]): Committees {
  const known = committees.get(epoch);
  if (known !== undefined) {
    if (areSame(known.publicKeys, publicKeys)) return committees;
    throw invalid(epoch, 'its keys are known and are others');
  }
  if (!isEpoch(epoch)) throw invalid(epoch, 'no such epoch');
  if (publicKeys.length === 0 || publicKeys.length > COMMITTEE_MEMBERS_MAX) {
    throw invalid(epoch, `${publicKeys.length} members, not 1 to ${COMMITTEE_MEMBERS_MAX}`);
  }
  if (publicKeys.some(({ length }) => length !== BLS_PUBLIC_KEY_BYTES)) {
    throw invalid(epoch, `a public key has ${BLS_PUBLIC_KEY_BYTES} bytes`);
  }
  if (committees.size >= COMMITTEES_MAX) throw invalid(epoch, `${COMMITTEES_MAX} are known: drop one first`);
  const copies = publicKeys.map((key) => new Uint8Array(key));
  return new Map([...committees, [epoch, createCommitteeKeys(copies)]]);
}

/** Throws CryptoError `invalid-committee`. */
export function committeesOf(all: readonly EpochKeys[]): Committees {
  return all.reduce((more, { epoch, publicKeys }) => withCommittee(more, epoch, publicKeys), NO_COMMITTEES);
}

/** At start: decodes every key. Throws CryptoError `invalid-committee` or `invalid-public-key`. */
export function checkedCommittees(all: readonly EpochKeys[]): Committees {
  const committees = committeesOf(all);
  for (const [epoch, keys] of committees) checkPublicKeys(epoch, keys);
  return committees;
}

/** The same value for an unknown epoch. */
export function withoutCommittee(committees: Committees, epoch: number): Committees {
  if (!committees.has(epoch)) return committees;
  const rest = new Map(committees);
  rest.delete(epoch);
  return rest;
}

export function isEpoch(epoch: number): boolean {
  return Number.isInteger(epoch) && epoch >= 0 && epoch <= EPOCH_MAX;
}

function areSame(left: readonly Uint8Array[], right: readonly Uint8Array[]): boolean {
  return left.length === right.length && left.every((key, at) => bytesEqual(key, right[at] as Uint8Array));
}

function invalid(epoch: number, what: string): CryptoError {
  return new CryptoError('invalid-committee', `cannot add the committee of epoch ${epoch}: ${what}`, { epoch });
}
