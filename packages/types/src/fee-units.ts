/**
 * Fee units of a transaction: upper bounds by its bytes, and the chain's applications (dissemination.md, "Fees").
 *
 *   units = bytes + signature + sender's balance + authority + each action          fee = sum of units[i] * prices[i]
 *
 * Nodes reserve and charge by them, wallets estimate with them. They follow from measurements (decision 0048).
 */
import type { Action, ActionKind, Call } from './actions/index.ts';
import { ANCHOR_DEVICES_MAX } from './actions/index.ts';
import { type UnitsOfCalls, unitsWithoutApplications } from './call-units.ts';
import { type Change, changeToWire } from './epochs/changes.ts';
import type { TransactionAuth } from './session/auth.ts';
import { type Credential, uncertifiedMembersIn } from './session/credential.ts';
import type { Transaction } from './transaction.ts';
import { addToUnits, addUnits, NO_UNITS, UNIT_DIMENSIONS, type Units } from './units.ts';

/** A transaction without its actions: the reference. Nearly all of it is one Ed25519 verification. */
const TRANSACTION_COMPUTE = 50;
const SENDER_KEYS = 1;
const MOVE_COMPUTE = 1;
/** Its account is read as well, twice. */
const OUTPUT_COMPUTE = 2;
const CHANGE_COMPUTE = 5;
/** Read, hashed and copied. */
const COMPUTE_UNIT_BYTES = 256;
/** A list of accounts is decoded and encoded. */
const DEVICE_COMPUTE = 10;
/** Six hashes, and a service's name. */
const GRANT_COMPUTE = 20;
/** A key with a small value: twice a large value's 64 bytes in time, and about as many bytes on disk. */
const KEY_WRITE = 2;
const WRITE_UNIT_BYTES = 64;

/** Key and value of a new account. */
const ACCOUNT_ALLOCATE_BYTES = 34 + 16;
/** An account's value grows, or is new; entry; head of the directory; nodes of its tree, one for each fourth level. */
const REGISTRATION_ALLOCATE_BYTES = 34 + 24 + 5 + 137 + 32 + 6 * (6 + 32);
/** The longest, so that the bound does not depend on the name. */
const DATA_KEY_BYTES_MAX = 62;
/** Value of a session's state entry; the key has 33 bytes. */
export const SESSION_RECORD_BYTES = 159;
const SESSION_ALLOCATE_BYTES = 33 + SESSION_RECORD_BYTES;
const SESSION_WRITES = writesOf(SESSION_RECORD_BYTES);
/** A new one is listed in the calendar as well: a grant id. */
const NEW_SESSION_WRITES = SESSION_WRITES + writesOf(32);
/** Three times the time of an account's: its value is long, and the calendar checks whether it is new. */
const SESSION_READS = 2;
/** In its anchor's entry, whose key has 34 bytes. */
const DEVICE_BYTES = 33;
const DEVICES_ALLOCATE_BYTES = 34 + DEVICE_BYTES * ANCHOR_DEVICES_MAX;
const DEVICES_WRITES = writesOf(DEVICE_BYTES * ANCHOR_DEVICES_MAX);

/**
 * A credential may need two BLS verifications of about 20 signature checks each, whatever a cache saves. It reads its issuer's entry, and its
 * first use writes a record, which a grant id reads.
 */
const CREDENTIAL_COMPUTE = 2 * 20 * TRANSACTION_COMPUTE;
const GRANT_ID_COMPUTE = 5;
const AUTHORITY_UNITS = {
  ed25519: NO_UNITS,
  session: [0, CREDENTIAL_COMPUTE, 2, SESSION_ALLOCATE_BYTES, NEW_SESSION_WRITES],
  'session-hash': [0, GRANT_ID_COMPUTE, SESSION_READS, 0, SESSION_WRITES],
} as const satisfies Record<TransactionAuth['scheme'], Units>;
/** About what a credential adds to a grant id. */
const CREDENTIAL_BYTES = 768;
export const CREDENTIAL_UNITS: Units = addUnits(AUTHORITY_UNITS.session, [CREDENTIAL_BYTES, 0, 0, 0, 0]);

/** A BLS verification is about 20 signature checks. */
const KEY_CHECK_COMPUTE = 20 * TRANSACTION_COMPUTE;
/** Decoding a BLS key takes about as long as a signature check. */
const KEY_DECODE_COMPUTE = TRANSACTION_COMPUTE;
const GOVERNANCE_COMPUTE = 50;
/** One value of 64 kB takes as long as so many accounts. */
const LARGEST_PROPOSAL_READS = 30;
/** Most keys are new: the state has no value to copy. */
const PROPOSAL_READS = 6;
const ARTIFACT_HASH_BYTES = 32;
/** A validator's entry, short or long, and the queue. Hashes of artifacts are paid for by the readiness that names them. */
const VALIDATOR_WRITES = 15;
const VALIDATOR_READS = 4;
/** An entry of the queue, and its head. */
const WAITING_BYTES = 128;
/** Next keys, two used keys, an entry of the queue; a longer address. */
const ROTATION_BYTES = 1024;
/** Two used keys. */
const ROTATION_WRITES = VALIDATOR_WRITES + 5;
const ACCOUNT_KEY_BYTES = 64;
/** Of an issuer's committees: the newest and 16 that it replaced. */
const ISSUER_BYTES = 720;
/** Between the first of an issuer and its seventeenth. */
const ISSUER_WRITES = 11;
/** Its entry. Head and bounds of the directory each block reads by itself; the sender's account is in each transaction. */
const REGISTRATION_READS = 1;
/** Between the first and one in a full directory, each alone in its block: all of a block share the head. */
const REGISTRATION_WRITES = 18;
/** Approvals and the queue. */
const PROPOSAL_WRITES = 10;
/** Changes and 1,024 approvals: a value is 64 kB at most. */
const LARGEST_PROPOSAL_WRITES = 1000;
const LARGEST_PROPOSAL_COMPUTE = 1000;
/** Accounts and keys, decoded and encoded. */
const CHANGE_BYTES_COMPUTE = 3;
/** A candidate's, or the largest change's. */
const PROPOSED_CHANGE_BYTES = 6 * 1024;
/** A candidate, its keys, its place in the list, and its part of the proposal. */
const CANDIDATE_UNITS: Units = [0, KEY_CHECK_COMPUTE, 5, PROPOSED_CHANGE_BYTES, 35];

/** The receiver's account; the sender's is in each transaction. */
const TRANSFER_UNITS: Units = [0, MOVE_COMPUTE, 1, ACCOUNT_ALLOCATE_BYTES, KEY_WRITE];

/** unitsOf adds the bandwidth. */
const ACTION_UNITS: { readonly [K in Exclude<ActionKind, 'call'>]: (action: Extract<Action, { kind: K }>) => Units } = {
  transfer: () => TRANSFER_UNITS,
  transferMany({ outputs: { length } }) {
    return [0, OUTPUT_COMPUTE * length, length, ACCOUNT_ALLOCATE_BYTES * length, KEY_WRITE * length];
  },
  setData({ value }) {
    const isDeleted = value.length === 0;
    const allocate = isDeleted ? 0 : DATA_KEY_BYTES_MAX + value.length;
    const compute = CHANGE_COMPUTE + Math.ceil(value.length / COMPUTE_UNIT_BYTES);
    // A deletion is read again at the block's end: the batch names no key that the state lacks.
    return [0, compute, isDeleted ? 2 : 1, allocate, writesOf(value.length)];
  },
  addDevice: () => [0, DEVICE_COMPUTE, 1, DEVICES_ALLOCATE_BYTES, DEVICES_WRITES],
  removeDevice: () => [0, DEVICE_COMPUTE, 1, DEVICES_ALLOCATE_BYTES, DEVICES_WRITES],
  grantSession: () => [0, GRANT_COMPUTE, 2, SESSION_ALLOCATE_BYTES, NEW_SESSION_WRITES],
  // An entry that is overwritten takes as long as two that are new.
  revokeSession: () => [0, CHANGE_COMPUTE, SESSION_READS + 1, 0, NEW_SESSION_WRITES],
  propose({ changes }) {
    const units = [0, GOVERNANCE_COMPUTE, PROPOSAL_READS, 0, PROPOSAL_WRITES];
    for (const change of changes) addToUnits(units, changeUnits(change));
    return units;
  },
  approve: () => [0, LARGEST_PROPOSAL_COMPUTE, LARGEST_PROPOSAL_READS, ACCOUNT_KEY_BYTES, LARGEST_PROPOSAL_WRITES],
  revoke: () => [0, LARGEST_PROPOSAL_COMPUTE, LARGEST_PROPOSAL_READS, 0, LARGEST_PROPOSAL_WRITES],
  ready({ artifacts: { length } }) {
    return [0, KEY_CHECK_COMPUTE, VALIDATOR_READS, ARTIFACT_HASH_BYTES * length, VALIDATOR_WRITES + length];
  },
  rotateKeys: () => [0, KEY_CHECK_COMPUTE, VALIDATOR_READS, ROTATION_BYTES, ROTATION_WRITES],
  leave: () => [0, GOVERNANCE_COMPUTE, VALIDATOR_READS, WAITING_BYTES, VALIDATOR_WRITES],
  reportEquivocation: () => [0, 2 * KEY_CHECK_COMPUTE, VALIDATOR_READS, WAITING_BYTES, VALIDATOR_WRITES],
  advanceIssuer: ({ members: { length } }) => [
    ...[0, 2 * KEY_CHECK_COMPUTE + KEY_DECODE_COMPUTE * length, VALIDATOR_READS],
    ...[ISSUER_BYTES, ISSUER_WRITES],
  ],
  register: () => [
    ...[0, KEY_CHECK_COMPUTE + KEY_DECODE_COMPUTE, REGISTRATION_READS],
    ...[REGISTRATION_ALLOCATE_BYTES, REGISTRATION_WRITES],
  ],
};

/** In the order of UNIT_DIMENSIONS. Undecodable bytes take bandwidth only. */
export function unitsOf(
  transaction: Transaction | undefined,
  bytes: number,
  unitsOfCall: UnitsOfCalls = unitsWithoutApplications,
): Units {
  if (transaction === undefined) return [bytes, 0, 0, 0, 0];
  const units = [bytes, TRANSACTION_COMPUTE, SENDER_KEYS, 0, SENDER_KEYS * KEY_WRITE];
  const { auth } = transaction;
  if (auth.scheme !== 'ed25519') addToUnits(units, AUTHORITY_UNITS[auth.scheme]);
  if (auth.scheme === 'session') addToUnits(units, uncertifiedUnits(auth.credential));
  for (const action of transaction.body.actions)
    addToUnits(units, action.kind === 'call' ? unitsOfCall(action) : actionUnits(action));
  return units;
}

/** Keys that a root key certified are few, and cached. */
function uncertifiedUnits(credential: Credential): Units {
  return [0, KEY_DECODE_COMPUTE * uncertifiedMembersIn(credential), 0, 0, 0];
}

/** Above 64 bits no maxFee covers it. */
export function feeOf(units: Units, prices: readonly bigint[]): bigint {
  return feesAt(prices)(units);
}

export function feesAt(prices: readonly bigint[]): (units: Units) => bigint {
  const exact = prices.map(Number);
  return (units) => {
    // Exact below 2^53, and much faster than bigint.
    let sum = 0;
    for (let i = 0; i < UNIT_DIMENSIONS.length; i++) sum += (units[i] as number) * (exact[i] as number);
    if (sum <= Number.MAX_SAFE_INTEGER) return BigInt(sum);
    let fee = 0n;
    for (let i = 0; i < UNIT_DIMENSIONS.length; i++) fee += BigInt(units[i] as number) * (prices[i] as bigint);
    return fee;
  };
}

/** TypeScript cannot relate entry and kind through a union. */
function actionUnits(action: Exclude<Action, Call>): Units {
  return (ACTION_UNITS[action.kind] as (action: Action) => Units)(action);
}

function changeUnits(change: Change): Units {
  if (change.kind === 'addValidator') return CANDIDATE_UNITS;
  const parts = Math.ceil(changeToWire(change).body.length / WRITE_UNIT_BYTES);
  return [0, CHANGE_COMPUTE + CHANGE_BYTES_COMPUTE * parts, 1, PROPOSED_CHANGE_BYTES, parts];
}

function writesOf(valueBytes: number): number {
  // A deletion is written too.
  return KEY_WRITE + Math.max(1, Math.ceil(valueBytes / WRITE_UNIT_BYTES));
}
