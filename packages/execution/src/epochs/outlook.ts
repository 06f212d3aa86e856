/**
 * The outlook: which proposals and changes wait, and why, if a block of this time looked at the queue.
 *
 * It is the seal's own pass, over a copy of the entries, so it does what a seal does and writes nothing. While a record is sealed, it is the
 * pass of the next epoch.
 */
import { bytesEqual } from '@slipstream/primitives';
import { accountKeyText, NO_RECORD, type ProposalId, type ValidatorId, validatorIdOf } from '@slipstream/types';
import type { Entries, FetchedEntries } from '../overlay.ts';
import { type CurrentEpoch, readEpoch } from './current-epoch.ts';
import { CHANGES_KEY, changeKey, EPOCH_KEY, GOVERNANCE_KEY, proposalKey, proposerKey, validatorKey } from './keys.ts';
import { type Governors, isRevoked, type Proposal, readProposal } from './proposals.ts';
import { readQueue, readWaiting, type Waiting } from './queue.ts';
import { readRecordTogether } from './records.ts';
import { EPOCH_BLOCKS_MIN, lookAtQueue, type WaitReason } from './seal.ts';

export interface ProposalOutlook extends Proposal {
  readonly id: ProposalId;
  /** Of the governors who approved and still govern. */
  readonly approvedWeight: number;
  /** None: the next seal takes all of it. */
  readonly reasons: readonly WaitReason[];
}

export interface Outlook {
  readonly governors: Governors;
  /** Oldest first. */
  readonly proposals: readonly ProposalOutlook[];
  /** Rotations, leaves, reports and benches, oldest first. */
  readonly changes: readonly (Waiting & { readonly reasons: readonly WaitReason[] })[];
  readonly current: CurrentEpoch;
  /** Height from which a block can seal; undefined while a record is sealed. */
  readonly sealsFrom: number | undefined;
}

/** Throws ExecutionError `state-corrupt`. */
export function outlookOf(before: FetchedEntries, nowMs: number): Outlook {
  before.want([EPOCH_KEY, GOVERNANCE_KEY, CHANGES_KEY]);
  const current = readEpoch(before);
  const isSealed = !bytesEqual(current.sealed, NO_RECORD);
  const base = isSealed ? { ...current, number: current.number + 1 } : current;
  const { proposals, waiting } = liveOf(before, base.number, nowMs);
  const look = lookAtQueue(copyOf(before), base, nowMs, waiting);
  return {
    current,
    governors: look.governors,
    proposals: proposals.map(([each, proposal]) => ({
      ...proposal,
      id: each.id as ProposalId,
      approvedWeight: approvedWeight(proposal, look.governors),
      reasons: look.reasons.get(each) ?? [],
    })),
    changes: waiting.flatMap((each) =>
      each.kind === 'proposal' ? [] : [{ ...each, reasons: look.reasons.get(each) ?? [] }],
    ),
    sealsFrom: isSealed ? undefined : current.firstHeight + EPOCH_BLOCKS_MIN - 1,
  };
}

/** Without proposals that the next pass drops. */
function liveOf(before: FetchedEntries, epoch: number, nowMs: number) {
  const { length } = readQueue(before);
  before.want(Array.from({ length }, (_, number) => changeKey(number)));
  const all = readWaiting(before);
  before.want(all.filter(({ kind }) => kind === 'proposal').map(({ id }) => proposalKey(id)));
  const proposals = all.flatMap((each): readonly (readonly [Waiting, Proposal])[] => {
    const proposal = each.kind === 'proposal' ? readProposal(before, each.id) : undefined;
    return proposal === undefined || isRevoked(proposal) || proposal.expiresMs <= nowMs ? [] : [[each, proposal]];
  });
  const { members } = readRecordTogether(before, epoch);
  before.want([
    ...proposals.map(([, { proposer }]) => proposerKey(proposer)),
    ...members.map(({ validatorId }) => validatorKey(validatorId)),
    ...all.filter(({ kind }) => kind !== 'proposal').map(({ id }) => validatorKey(id as ValidatorId)),
    ...proposals.flatMap(([, { changes }]) => changes.flatMap(validatorsIn)).map(validatorKey),
  ]);
  const live = new Set(proposals.map(([each]) => each));
  return { proposals, waiting: all.filter((each) => each.kind !== 'proposal' || live.has(each)) };
}

function validatorsIn(change: Proposal['changes'][number]): readonly ValidatorId[] {
  if (change.kind === 'addValidator') return [validatorIdOf(change.blsPublicKey)];
  return change.kind === 'removeValidator' || change.kind === 'setWeight' ? [change.validatorId] : [];
}

function approvedWeight({ approvals }: Proposal, { weights }: Governors): number {
  return approvals.reduce((sum, account) => sum + (weights.get(accountKeyText(account)) ?? 0), 0);
}

function copyOf(before: Pick<Entries, 'get'>): Entries {
  const written = new Map<string, Uint8Array | undefined>();
  return {
    get: (key) => (written.has(key.text) ? written.get(key.text) : before.get(key)),
    set: (key, value) => void written.set(key.text, value),
  };
}
