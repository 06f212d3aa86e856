/** Proposals: changes that wait for approvals, their time and a seal. Approvals are counted at each pass. */
import { bytesEqual, ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyText,
  accountKeyToWire,
  accountKeyType,
  type Change,
  type ChangeWire,
  COMMITTEE_MEMBERS_MAX,
  changeFromWire,
  changesType,
  changeToWire,
  type Governance,
  quorumWeight,
  type RecordMember,
  uint53,
  type ValidatorId,
} from '@slipstream/types';
import type { Entries } from '../overlay.ts';
import { proposalKey } from './keys.ts';
import type { Validator } from './validators.ts';
import { decodeValue } from './value.ts';

export interface Proposal {
  readonly proposer: AccountKey;
  /** Those that are not sealed yet. */
  readonly changes: readonly Change[];
  readonly notBeforeMs: number;
  readonly expiresMs: number;
  readonly approvals: readonly AccountKey[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** After it could be due. */
export const PROPOSAL_LIFE_MS = 7 * DAY_MS;
export const NOT_BEFORE_MS_MAX = 90 * DAY_MS;
/** Shared out among the governors, so that no governor takes the others' places; each has at least one. */
export const PROPOSALS_MAX = 64;

const proposalType = new ContainerType({
  proposer: accountKeyType,
  changes: changesType,
  notBeforeMs: uint53,
  expiresMs: uint53,
  approvals: new ListCompositeType(accountKeyType, COMMITTEE_MEMBERS_MAX),
});

interface ProposalWire extends Omit<Proposal, 'proposer' | 'changes' | 'approvals'> {
  readonly proposer: AccountKeyWire;
  readonly changes: readonly ChangeWire[];
  readonly approvals: readonly AccountKeyWire[];
}

const proposalCodec = createCodec<Proposal, ProposalWire>('proposal', proposalType, proposalType.maxSize, {
  toWire: ({ proposer, changes, approvals, ...rest }) => ({
    ...rest,
    proposer: accountKeyToWire(proposer),
    changes: changes.map(changeToWire),
    approvals: approvals.map(accountKeyToWire),
  }),
  fromWire: ({ proposer, changes, approvals, ...rest }) => ({
    ...rest,
    proposer: accountKeyFromWire(proposer),
    changes: changes.map(changeFromWire),
    approvals: approvals.map(accountKeyFromWire),
  }),
});

/** A revoked one stays until the queue's next pass. Throws ExecutionError `state-corrupt`. */
export function readProposal(entries: Pick<Entries, 'get'>, id: Uint8Array): Proposal | undefined {
  const value = entries.get(proposalKey(id));
  return value && decodeValue(proposalCodec, value);
}

export function writeProposal(entries: Entries, id: Uint8Array, proposal: Proposal | undefined): void {
  entries.set(proposalKey(id), proposal && proposalCodec.encode(proposal));
}

/** It keeps its place in the queue, and so among its proposer's, until the next pass: else it could be repeated without end. */
export function isRevoked({ approvals }: Proposal): boolean {
  return approvals.length === 0;
}

export function isAmongAccounts(accounts: readonly AccountKey[], { scheme, bytes }: AccountKey): boolean {
  return accounts.some((other) => other.scheme === scheme && bytesEqual(other.bytes, bytes));
}

/** Who decides now, and with how much. */
export interface Governors {
  /** Of each account that may approve. */
  readonly weights: ReadonlyMap<string, number>;
  /** Reached by the sum. */
  readonly needed: number;
}

type ValidatorOf = (id: ValidatorId) => Pick<Validator, 'operator'> | undefined;

/** By the current record's members, of whom each operator has the weight. */
export function governorsOf(
  governance: Governance,
  members: readonly RecordMember[],
  validatorOf: ValidatorOf,
): Governors {
  return governance.administrators.length > 0 ? administratorsOf(governance) : operatorsOf(members, validatorOf);
}

function administratorsOf({ administrators, approvals }: Governance): Governors {
  return { weights: new Map(administrators.map((account) => [accountKeyText(account), 1])), needed: approvals };
}

function operatorsOf(members: readonly RecordMember[], validatorOf: ValidatorOf): Governors {
  const weights = new Map<string, number>();
  let totalWeight = 0;
  for (const { validatorId, weight } of members) {
    const operator = validatorOf(validatorId)?.operator;
    totalWeight += weight;
    if (operator === undefined) continue;
    const name = accountKeyText(operator);
    weights.set(name, (weights.get(name) ?? 0) + weight);
  }
  return { weights, needed: quorumWeight({ totalWeight }) };
}

export function isApproved({ approvals }: Proposal, { weights, needed }: Governors): boolean {
  return approvals.reduce((sum, account) => sum + (weights.get(accountKeyText(account)) ?? 0), 0) >= needed;
}
