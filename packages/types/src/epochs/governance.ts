/** Governance: who may change the committee and the parameters. */
import { ContainerType, ListCompositeType } from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyText,
  accountKeyToWire,
  accountKeyType,
} from '../account.ts';
import { uint16 } from '../subject-wire.ts';

export interface Governance {
  /** None: the operators of validators with more than two thirds of the weight decide. */
  readonly administrators: readonly AccountKey[];
  /** So many administrators decide; 0 without any. */
  readonly approvals: number;
}

export const ADMINISTRATORS_MAX = 64;

export const OPERATORS_DECIDE: Governance = { administrators: [], approvals: 0 };

export interface GovernanceWire {
  readonly administrators: readonly AccountKeyWire[];
  readonly approvals: number;
}

export const governanceType = new ContainerType({
  administrators: new ListCompositeType(accountKeyType, ADMINISTRATORS_MAX),
  approvals: uint16,
});

export function governanceToWire({ administrators, approvals }: Governance): GovernanceWire {
  return { administrators: administrators.map(accountKeyToWire), approvals };
}

export function governanceFromWire({ administrators, approvals }: GovernanceWire): Governance {
  return { administrators: administrators.map(accountKeyFromWire), approvals };
}

/** One sentence per fault. */
export function governanceFaults({ administrators, approvals }: Governance): readonly string[] {
  const { length } = administrators;
  const faults: string[] = [];
  if (new Set(administrators.map(accountKeyText)).size !== length)
    faults.push('two administrators are the same account');
  if (length === 0 && approvals !== 0) faults.push('approvals must be 0 without administrators: the operators decide');
  if (length > 0 && (approvals < 1 || approvals > length)) {
    faults.push(`approvals (${approvals}) must be from 1 to the number of administrators (${length})`);
  }
  return faults;
}
