import type { Credential, DecodedTransaction, Epoch, Hex, Transaction, TransactionId, Units } from '@slipstream/types';
import type { FeeClass } from '../pool/fee-class.ts';
import { costUnitsOf } from './cost-units.ts';
import type { SubmitResult } from './submit-result.ts';

/** A transaction that passed every check so far. */
export interface Candidate {
  readonly decoded: DecodedTransaction & { readonly transaction: Transaction };
  readonly id: Hex<TransactionId>;
  readonly sender: string;
  /** By the record of `epoch`. */
  readonly units: Units;
  readonly epoch: Epoch;
  readonly feeClass: FeeClass;
  /** The sender's, for an urgent transaction; undefined: not looked up. */
  readonly balance?: bigint | undefined;
}

export type Screened = { readonly candidate: Candidate } | { readonly result: SubmitResult };

export function candidatesOf(screened: readonly Screened[]): readonly Candidate[] {
  return screened.flatMap((each) => ('candidate' in each ? [each.candidate] : []));
}

export function decodedOf(candidates: readonly Candidate[]): readonly DecodedTransaction[] {
  return candidates.map(({ decoded }) => decoded);
}

export function costOfAll(
  candidates: readonly Candidate[],
  credentials: { readonly isTrue: (credential: Credential) => boolean },
): number {
  return candidates.reduce((sum, { decoded }) => sum + costUnitsOf(decoded, credentials), 0);
}
