/**
 * State keys of epochs. Integers in keys are big-endian.
 *
 *   'v' || validator id              -> a validator (validators.ts)
 *   'k' || SHA-256(key)              -> owner of a BLS or network key, ever (used-keys.ts)
 *   'o' || account (33)              -> number of an operator's validators (counts.ts)
 *   'n' || account (33)              -> number of a governor's proposals in the queue (counts.ts)
 *   'p' || epoch u32                 -> head of a record (records.ts)
 *   'p' || epoch u32 || index u16    -> a member of it
 *   'q' || proposal id               -> a proposal (proposals.ts)
 *   'c' || number u32                -> a change that waits (queue.ts)
 *   'l' || number u32                -> a validator's id (validator-list.ts)
 *   'l' || validator id              -> its number
 *   's' || "changes"                 -> the queue of changes
 *   's' || "validators"              -> how many are listed
 *   's' || "epoch"                   -> the current epoch (current-epoch.ts)
 *   's' || "governance"              -> who decides (current-epoch.ts)
 *
 * A value stays under 64 KiB, which 1,024 members would not.
 */
import { concatBytes, sha256, utf8 } from '@slipstream/primitives';
import {
  type AccountKey,
  accountKeyBytes,
  STATE_KINDS,
  stateKeyOfValidator,
  type ValidatorId,
} from '@slipstream/types';
import { type StateKey, SYSTEM, stateKey } from '../state-keys.ts';

const USED_KEY = 0x6b;
const OPERATOR = 0x6f;
const PROPOSER = 0x6e;
const RECORD = 0x70;
const PROPOSAL = 0x71;
const CHANGE = 0x63;
const LISTED = 0x6c;

const under = (kind: number, ...rest: readonly Uint8Array[]): StateKey =>
  stateKey(concatBytes(new Uint8Array([kind]), ...rest));
const system = (name: string): StateKey => under(SYSTEM, utf8(name));

export const EPOCH_KEY: StateKey = system('epoch');
export const GOVERNANCE_KEY: StateKey = system('governance');
/** Every action of governance declares it, so they exclude each other and may touch whatever else is listed here. */
export const CHANGES_KEY: StateKey = system('changes');

export const VALIDATORS_KEY: StateKey = system('validators');

export const validatorKey = (id: ValidatorId): StateKey => stateKey(stateKeyOfValidator(id));
export const usedKey = (key: Uint8Array): StateKey => under(USED_KEY, sha256(key));
export const operatorKey = (account: AccountKey): StateKey => under(OPERATOR, accountKeyBytes(account));
export const proposerKey = (account: AccountKey): StateKey => under(PROPOSER, accountKeyBytes(account));
export const recordHeadKey = (epoch: number): StateKey => under(RECORD, bigEndian(4, epoch));
export const recordMemberKey = (epoch: number, index: number): StateKey =>
  under(RECORD, bigEndian(4, epoch), bigEndian(2, index));
export const proposalKey = (id: Uint8Array): StateKey => under(PROPOSAL, id);
export const changeKey = (number: number): StateKey => under(CHANGE, bigEndian(4, number));
export const listedKey = (number: number): StateKey => under(LISTED, bigEndian(4, number));
export const placeKey = (id: ValidatorId): StateKey => under(LISTED, id);

/** First byte of the key of a validator or a proposal: what a page about governance shows. */
export const isGovernanceKind = (kind: number): boolean => kind === STATE_KINDS.validator || kind === PROPOSAL;

function bigEndian(bytes: 2 | 4, value: number): Uint8Array {
  const encoded = new Uint8Array(bytes);
  const view = new DataView(encoded.buffer);
  if (bytes === 2) view.setUint16(0, value);
  else view.setUint32(0, value);
  return encoded;
}
