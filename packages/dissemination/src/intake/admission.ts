/** Admission: execution's reasons to skip a transaction that show on arrival, in execution's order; else its fee class. */
import { bytesEqual } from '@slipstream/primitives';
import { type GenesisHash, TRANSACTION_LIFE_MS_MAX, type Transaction, type Units } from '@slipstream/types';
import type { Rules } from '../components.ts';
import type { FeeClass } from '../pool/fee-class.ts';

export type AdmissionRefusal =
  | 'wrong-genesis'
  | 'expired'
  | 'expiry-too-far'
  | 'over-limit'
  | 'max-fee-too-low'
  | 'fee-not-covered'
  | 'call-quarantined';

interface Refused {
  readonly reason: AdmissionRefusal;
  /** For the submitter: the fault, with numbers, and the remedy. */
  readonly message: string;
}

export interface AdmissionSetting {
  readonly genesisHash: GenesisHash;
  /** Of a block of this epoch and of the sealed next one. */
  unitLimits(): Units;
  readonly rules: Rules;
}

/** Leaves the sender's balance and the signature unchecked. */
export function admissionOf(
  transaction: Transaction,
  units: Units,
  nowMs: number,
  { genesisHash, unitLimits, rules }: AdmissionSetting,
): Refused | FeeClass {
  const { body } = transaction;
  if (!bytesEqual(body.genesisHash, genesisHash)) {
    return { reason: 'wrong-genesis', message: 'it was made for another chain: use this one’s genesis hash' };
  }
  if (body.expiryMs <= nowMs) {
    return { reason: 'expired', message: `it expired at ${body.expiryMs}, now is ${nowMs}: make a new one` };
  }
  if (body.expiryMs > nowMs + TRANSACTION_LIFE_MS_MAX) {
    const lastMs = nowMs + TRANSACTION_LIFE_MS_MAX;
    return { reason: 'expiry-too-far', message: `it expires at ${body.expiryMs}, at most ${lastMs} is allowed` };
  }
  const quarantined = rules.quarantine?.refusalOf(transaction);
  if (quarantined !== undefined) return { reason: 'call-quarantined', message: quarantined };
  const limits = unitLimits();
  if (units.some((unit, i) => unit > (limits[i] as number))) {
    return {
      reason: 'over-limit',
      message: 'it takes more than a whole block may, or may after the next change of the limits: split it',
    };
  }
  const fee = rules.feeOf(units);
  if (fee > body.maxFee) {
    return {
      reason: 'max-fee-too-low',
      message: `its fee may be ${fee} when a block executes it, maxFee is ${body.maxFee}: raise it`,
    };
  }
  if (fee === 0n || rules.urgentMaxFee === undefined) return 'ordinary';
  return body.maxFee >= rules.urgentMaxFee(transaction, units) ? 'urgent' : 'ordinary';
}

/** One answer each: a refusal by balance, or the balance; undefined: not looked up. */
export async function coverageOf(
  transactions: readonly Transaction[],
  { balancesOf }: Pick<Rules, 'balancesOf'>,
): Promise<readonly (Refused | bigint | undefined)[]> {
  const balances = await balancesOf?.(transactions.map(({ body }) => body.sender));
  return transactions.map(({ body }, i) => {
    const balance = balances?.[i];
    if (balance === undefined || balance >= body.maxFee) return balance;
    return { reason: 'fee-not-covered', message: `the sender owns ${balance}, maxFee is ${body.maxFee}` };
  });
}
