/** propose, approve and revoke: governors change the committee and the parameters. Strangers fail with `not-a-governor`. */
import { bytesEqual, domainPrefix, fromHex, hashInDomain, uint64le, unreachable } from '@slipstream/primitives';
import {
  type AccountKey,
  type AddValidator,
  type Approve,
  asId,
  type Change,
  COMMITTEE_MEMBERS_MAX,
  COMMITTEE_WEIGHT_MAX,
  type FailureCode,
  feeFaults,
  type ProposalId,
  type Propose,
  proposalOutput,
  type Revoke,
  timeFaults,
  type ValidatorId,
  validatorIdOf,
} from '@slipstream/types';
import { readApplications } from '../applications/upgrades.ts';
import { addToCount, readCount } from '../epochs/counts.ts';
import { readEpoch, readGovernance } from '../epochs/current-epoch.ts';
import { CHANGES_KEY, operatorKey, proposerKey } from '../epochs/keys.ts';
import {
  isAmongAccounts,
  isRevoked,
  NOT_BEFORE_MS_MAX,
  PROPOSAL_LIFE_MS,
  PROPOSALS_MAX,
  type Proposal,
  readProposal,
  writeProposal,
} from '../epochs/proposals.ts';
import { enqueue, readQueue, wakeQueue } from '../epochs/queue.ts';
import { readHead } from '../epochs/records.ts';
import { freeCandidates } from '../epochs/seal.ts';
import { readKeyUse, writeKeyUse } from '../epochs/used-keys.ts';
import { listValidator } from '../epochs/validator-list.ts';
import { ENTERED, readValidator, writeValidator } from '../epochs/validators.ts';
import type { Scratch } from '../overlay.ts';
import { type ActionRule, APPLIED } from './rule.ts';

const ID_DOMAIN = domainPrefix('slipstream/proposal-id');

function isGovernor(scratch: Scratch, account: AccountKey): boolean {
  const { administrators } = readGovernance(scratch);
  return administrators.length > 0
    ? isAmongAccounts(administrators, account)
    : readCount(scratch, operatorKey(account)) > 0;
}

/** Otherwise one governor could keep all others from proposing, its own removal too. */
function proposalsEach(scratch: Scratch): number {
  const { administrators } = readGovernance(scratch);
  const governors = administrators.length || readHead(scratch, readEpoch(scratch).number).members;
  return Math.max(1, Math.floor(PROPOSALS_MAX / governors));
}

/** Also fails with `proposal-limit`, `proposal-time` and the codes of `faultOf`. A candidate's keys are taken at once. */
export const proposeRule: ActionRule<Propose> = {
  keys: () => [CHANGES_KEY],
  apply(scratch, { changes, notBeforeMs }, _, { sender, timestampMs, transactionId }) {
    if (!isGovernor(scratch, sender)) return { ok: false, code: 'not-a-governor' };
    if (readCount(scratch, proposerKey(sender)) >= proposalsEach(scratch)) return { ok: false, code: 'proposal-limit' };
    if (notBeforeMs > timestampMs + NOT_BEFORE_MS_MAX) return { ok: false, code: 'proposal-time' };
    for (const change of changes) {
      const code = faultOf(scratch, change);
      if (code !== undefined) return { ok: false, code };
      if (change.kind === 'addValidator') enter(scratch, change);
    }
    const { length } = readQueue(scratch);
    // Its place in the queue tells equal ones of a transaction apart.
    const id = asId<ProposalId>(hashInDomain(ID_DOMAIN, transactionId, uint64le(length)));
    const expiresMs = Math.max(timestampMs, notBeforeMs) + PROPOSAL_LIFE_MS;
    writeProposal(scratch, id, { proposer: sender, changes, notBeforeMs, expiresMs, approvals: [sender] });
    addToCount(scratch, proposerKey(sender), 1);
    enqueue(scratch, { kind: 'proposal', id });
    return { ok: true, output: proposalOutput(id) };
  },
};

/** Also fails with `proposal-unknown`, `already-approved` or `proposal-limit`. */
export const approveRule: ActionRule<Approve> = {
  keys: () => [CHANGES_KEY],
  apply(scratch, { proposalId }, _, { sender, timestampMs }) {
    if (!isGovernor(scratch, sender)) return { ok: false, code: 'not-a-governor' };
    const proposal = proposalOf(scratch, proposalId);
    if (proposal === undefined || proposal.expiresMs <= timestampMs) return { ok: false, code: 'proposal-unknown' };
    if (isAmongAccounts(proposal.approvals, sender)) return { ok: false, code: 'already-approved' };
    if (proposal.approvals.length >= COMMITTEE_MEMBERS_MAX) return { ok: false, code: 'proposal-limit' };
    writeProposal(scratch, proposalId, { ...proposal, approvals: [...proposal.approvals, sender] });
    wakeQueue(scratch);
    return APPLIED;
  },
};

/** Fails with `proposal-unknown` or `not-approved`. Without approvals a proposal is gone. */
export const revokeRule: ActionRule<Revoke> = {
  keys: () => [CHANGES_KEY],
  apply(scratch, { proposalId }, _, { sender }) {
    const proposal = proposalOf(scratch, proposalId);
    if (proposal === undefined) return { ok: false, code: 'proposal-unknown' };
    if (!isAmongAccounts(proposal.approvals, sender)) return { ok: false, code: 'not-approved' };
    const approvals = proposal.approvals.filter(
      ({ scheme, bytes }) => scheme !== sender.scheme || !bytesEqual(bytes, sender.bytes),
    );
    const isGone = approvals.length === 0;
    if (isGone) freeCandidates(scratch, proposal);
    writeProposal(scratch, proposalId, { ...proposal, approvals, changes: isGone ? [] : proposal.changes });
    wakeQueue(scratch);
    return APPLIED;
  },
};

function proposalOf(scratch: Scratch, id: ProposalId): Proposal | undefined {
  const proposal = readProposal(scratch, id);
  return proposal === undefined || isRevoked(proposal) ? undefined : proposal;
}

function faultOf(scratch: Scratch, change: Change): FailureCode | undefined {
  switch (change.kind) {
    case 'addValidator': {
      const keys = [change.blsPublicKey, fromHex(change.peerKey)];
      if (keys.some((key) => readKeyUse(scratch, key) !== undefined)) return 'key-used';
      return isWeight(change.weight) ? undefined : 'weight-bounds';
    }
    case 'removeValidator':
      return isMember(scratch, change.validatorId) ? undefined : 'validator-unknown';
    case 'setWeight':
      if (!isWeight(change.weight)) return 'weight-bounds';
      return isMember(scratch, change.validatorId) ? undefined : 'validator-unknown';
    case 'setParameters': {
      const isSound = [...feeFaults(change.fees), ...timeFaults(change.times)].length === 0;
      return isSound ? undefined : 'parameters-unsound';
    }
    case 'setVersion':
      return change.version > readHead(scratch, readEpoch(scratch).number).version ? undefined : 'version-bounds';
    case 'upgradeApplication': {
      const entry = readApplications(scratch).find(({ name }) => name === change.name);
      if (entry === undefined) return 'application-unknown';
      return change.version === entry.version + 1 ? undefined : 'version-bounds';
    }
    case 'setTrustedIssuers':
    case 'setGovernance':
      return undefined;
    default:
      return unreachable(change, 'change');
  }
}

function isWeight(weight: number): boolean {
  return weight >= 1 && weight <= COMMITTEE_WEIGHT_MAX;
}

function isMember(scratch: Scratch, id: ValidatorId): boolean {
  return readValidator(scratch, id)?.status === 'member';
}

/** Signatures over its consent were checked when the chunk arrived. */
function enter(scratch: Scratch, change: AddValidator): void {
  const { name, operator, feeAccount, address, blsPublicKey, peerKey } = change;
  const validatorId = validatorIdOf(blsPublicKey);
  writeValidator(scratch, validatorId, {
    name,
    operator,
    feeAccount,
    address,
    blsPublicKey,
    peerKey,
    status: 'candidate',
    weight: 0,
    ...ENTERED,
  });
  listValidator(scratch, validatorId);
  for (const key of [blsPublicKey, fromHex(peerKey)]) {
    writeKeyUse(scratch, key, { validatorId, lastEpoch: undefined });
  }
}
