/**
 * Fee units of a transaction: upper bounds by its bytes, and the chain's applications (dissemination.md, "Fees").
 *
 *   units = bytes + signature + sender's balance + authority + each action          fee = sum of units[i] * prices[i]
 *
 * Nodes reserve and charge by them, wallets estimate with them. They follow from measurements (decision 0048).
 */

import {
  KEY_DECODE_COMPUTE,
  KEY_WRITE,
  NEW_SESSION_WRITES,
  SESSION_ALLOCATE_BYTES,
  SESSION_READS,
  SESSION_WRITES,
  TRANSACTION_COMPUTE,
} from './actions/costs.ts';
import { type Call, declaredUnits, type Propose } from './actions/index.ts';
import { proposalUnits } from './actions/proposal-units.ts';
import { type UnitsOfCalls, unitsWithoutApplications } from './call-units.ts';
import type { TransactionAuth } from './session/auth.ts';
import { type Credential, uncertifiedMembersIn } from './session/credential.ts';
import type { Transaction } from './transaction.ts';
import { addToUnits, addUnits, NO_UNITS, UNIT_DIMENSIONS, type Units } from './units.ts';

const SENDER_KEYS = 1;

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
    addToUnits(units, declaredUnits(action) ?? unitsByContent(action as Undeclared, unitsOfCall));
  return units;
}

type Undeclared = Propose | Call;

function unitsByContent(action: Undeclared, unitsOfCall: UnitsOfCalls): Units {
  return action.kind === 'call' ? unitsOfCall(action) : proposalUnits(action);
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
