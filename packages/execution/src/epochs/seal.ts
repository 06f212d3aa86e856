/**
 * The seal: at the end of a block, the due changes become the record of the next epoch.
 *
 *   sealed already? --no--> 64 blocks old? --> queue awake? --> draft of reports, then the rest in order --changed?--> record e + 1
 *
 * From the sealing block to the epoch's last, blocks name the sealed record in their digest. Nothing else is sealed meanwhile.
 */
import { assert, bytesEqual, fromHex, toHex } from '@slipstream/primitives';
import {
  type EpochRecord,
  type GenesisHash,
  NO_RECORD,
  type ProposalId,
  type RecordHash,
  recordHashOf,
  type ValidatorId,
  validatorIdOf,
} from '@slipstream/types';
import type { Entries } from '../overlay.ts';
import { countsTurns, keepBench, takeBench } from './bench.ts';
import { addToCount } from './counts.ts';
import { type CurrentEpoch, readEpoch, readGovernance, writeEpoch, writeGovernance } from './current-epoch.ts';
import {
  type ChangeWait,
  createDraft,
  type Draft,
  recordOfDraft,
  takeChanges,
  takeRemoval,
  takeRotation,
} from './draft.ts';
import { operatorKey, proposerKey } from './keys.ts';
import {
  type Governors,
  governorsOf,
  isApproved,
  isRevoked,
  type Proposal,
  readProposal,
  writeProposal,
} from './proposals.ts';
import { ASLEEP, readQueue, readWaiting, settleQueue, type Waiting } from './queue.ts';
import { readHead, readMembers, writeRecord } from './records.ts';
import { afterSeal, FRESH_REPUTATION } from './reputation.ts';
import { writeKeyUse } from './used-keys.ts';
import { unlistValidator } from './validator-list.ts';
import { readValidator, type Validator, writeValidator } from './validators.ts';

/** Shorter epochs would make boundaries, which cost a view, as cheap to cause as a transaction. */
export const EPOCH_BLOCKS_MIN = 64;

interface SealingBlock {
  readonly genesisHash: GenesisHash;
  readonly height: number;
  readonly timestampMs: number;
}

interface SealingResult {
  /** NO_RECORD before the seal. */
  readonly next: RecordHash;
  /** Undefined unless this block sealed it. */
  readonly sealed: EpochRecord | undefined;
}

const NOTHING_SEALED: SealingResult = { next: NO_RECORD, sealed: undefined };

export function sealNextRecord(entries: Entries, block: SealingBlock): SealingResult {
  const current = readEpoch(entries);
  if (!bytesEqual(current.sealed, NO_RECORD)) return { next: current.sealed, sealed: undefined };
  if (block.height - current.firstHeight + 1 < EPOCH_BLOCKS_MIN) return NOTHING_SEALED;
  if (readQueue(entries).wakeMs > block.timestampMs) return NOTHING_SEALED;
  const look = lookAtQueue(entries, current, block.timestampMs);
  settleQueue(entries, look.left, look.wakeMs);
  if (!look.draft.changed) return NOTHING_SEALED;
  const record = recordOfDraft(look.draft);
  const next = recordHashOf(block.genesisHash, record);
  writeRecord(entries, record);
  writeEpoch(entries, { ...current, sealed: next, sealedHeight: block.height });
  if (look.draft.governance !== undefined) writeGovernance(entries, look.draft.governance);
  updateValidators(entries, look.draft, record, block.height);
  return { next, sealed: record };
}

/** Why what waits is not in the next record: it lacks approvals, its time has not come, or a change of it cannot be taken. */
export type WaitReason = 'approvals' | 'time' | ChangeWait;

interface Look {
  readonly entries: Entries;
  readonly draft: Draft;
  readonly governors: Governors;
  readonly nowMs: number;
  /** What still waits. */
  left: readonly Waiting[];
  wakeMs: number;
  /** Of what waits. */
  readonly reasons: Map<Waiting, readonly WaitReason[]>;
}

export function lookAtQueue(
  entries: Entries,
  { number }: CurrentEpoch,
  nowMs: number,
  waiting: readonly Waiting[] = readWaiting(entries),
): Look {
  const head = readHead(entries, number);
  const { version, parameters } = head;
  const members = readMembers(entries, number, head.members);
  const draft = createDraft(entries, { epoch: number as EpochRecord['epoch'], version, parameters, members });
  const look: Look = {
    entries,
    draft,
    governors: governorsOf(readGovernance(entries), members, draft.validator),
    nowMs,
    left: [],
    wakeMs: ASLEEP,
    reasons: new Map(),
  };
  const left = new Set<Waiting>();
  // A validator that contradicted itself goes first. Which members lead depends on the weights.
  const ordered = [
    ...waiting.filter(({ kind }) => kind === 'report'),
    ...waiting.filter(({ kind }) => kind !== 'report' && kind !== 'bench'),
  ];
  const takeAll = (some: readonly Waiting[]) => {
    for (const each of some) {
      const reasons = take(look, each);
      if (reasons === 'done') continue;
      left.add(each);
      look.reasons.set(each, reasons);
    }
  };
  takeAll(ordered);
  keepBench(draft);
  takeAll(waiting.filter(({ kind }) => kind === 'bench'));
  look.left = waiting.filter((each) => left.has(each));
  return look;
}

function take(look: Look, { kind, id }: Waiting): 'done' | readonly WaitReason[] {
  const { entries, draft } = look;
  if (kind === 'proposal') return takeProposal(look, id as ProposalId);
  if (kind === 'bench') {
    const taken = takeBench(draft, entries, id as ValidatorId);
    return taken === 'done' ? 'done' : [taken === 'waits' ? 'weight' : taken];
  }
  const validator = draft.validator(id as ValidatorId);
  if (validator === undefined || validator.status === 'removed') return 'done';
  if (kind !== 'rotation') return takeRemoval(draft, id as ValidatorId) === 'done' ? 'done' : ['weight'];
  if (validator.rotation !== undefined) {
    if (takeRotation(draft, id as ValidatorId) === 'done') return 'done';
    return [validator.ready ? 'earlier-change' : 'not-ready'];
  }
  writeValidator(entries, id as ValidatorId, { ...validator, rotationQueued: false });
  return 'done';
}

function takeProposal(look: Look, id: ProposalId): 'done' | readonly WaitReason[] {
  const { entries, draft, nowMs } = look;
  const proposal = readProposal(entries, id);
  assert(proposal !== undefined, 'a proposal stays as long as its place in the queue');
  if (proposal.expiresMs <= nowMs || isRevoked(proposal)) {
    freeCandidates(entries, proposal);
    return endProposal(entries, id, proposal);
  }
  look.wakeMs = Math.min(look.wakeMs, proposal.expiresMs);
  if (!isApproved(proposal, look.governors)) return ['approvals'];
  if (proposal.notBeforeMs > nowMs) {
    look.wakeMs = Math.min(look.wakeMs, proposal.notBeforeMs);
    return ['time'];
  }
  const left = takeChanges(draft, proposal.changes);
  if (left.length === 0) return endProposal(entries, id, proposal);
  writeProposal(entries, id, { ...proposal, changes: left.map(({ change }) => change) });
  return [...new Set(left.map(({ why }) => why))];
}

/** Its place in the queue goes with it. */
function endProposal(entries: Entries, id: ProposalId, { proposer }: Proposal): 'done' {
  writeProposal(entries, id, undefined);
  addToCount(entries, proposerKey(proposer), -1);
  return 'done';
}

/** Its candidates never were members, so their keys are free again. */
export function freeCandidates(entries: Entries, { changes }: Proposal): void {
  for (const change of changes) {
    if (change.kind !== 'addValidator') continue;
    const validatorId = validatorIdOf(change.blsPublicKey);
    if (readValidator(entries, validatorId)?.status !== 'candidate') continue;
    writeValidator(entries, validatorId, undefined);
    unlistValidator(entries, validatorId);
    writeKeyUse(entries, change.blsPublicKey, undefined);
    writeKeyUse(entries, fromHex(change.peerKey), undefined);
  }
}

function updateValidators(entries: Entries, draft: Draft, next: EpochRecord, height: number): void {
  const lastEpoch = draft.now.epoch;
  for (const member of next.members) {
    const { validatorId: id, weight, blsPublicKey, peerKey } = member;
    // The look may have written it.
    const validator = readValidator(entries, id) as Validator;
    const isRotated = draft.rotated.has(toHex(id));
    if (!draft.nowWeights.has(toHex(id))) addToCount(entries, operatorKey(validator.operator), 1);
    if (isRotated) retire(entries, id, validator, lastEpoch, member);
    writeValidator(entries, id, {
      ...validator,
      status: 'member',
      weight,
      blsPublicKey,
      peerKey,
      rotation: isRotated ? undefined : validator.rotation,
      rotationQueued: !isRotated && validator.rotationQueued,
      ready: validator.rotation !== undefined && !isRotated && validator.ready,
      reputation: countsTurns(draft) ? afterSeal(validator.reputation, !member.leads, height) : FRESH_REPUTATION,
    });
  }
  for (const { validatorId: id } of draft.now.members) {
    if (draft.weights.has(toHex(id))) continue;
    const validator = draft.validator(id) as Validator;
    addToCount(entries, operatorKey(validator.operator), -1);
    retire(entries, id, validator, lastEpoch);
    writeValidator(entries, id, { ...validator, status: 'removed', weight: 0, rotation: undefined, ready: false });
  }
}

/** Keys that the next record lacks. */
function retire(
  entries: Entries,
  validatorId: ValidatorId,
  old: Pick<Validator, 'blsPublicKey' | 'peerKey'>,
  lastEpoch: number,
  next?: Pick<Validator, 'blsPublicKey' | 'peerKey'>,
): void {
  const use = { validatorId, lastEpoch };
  if (next === undefined || !bytesEqual(next.blsPublicKey, old.blsPublicKey)) {
    writeKeyUse(entries, old.blsPublicKey, use);
  }
  if (next?.peerKey !== old.peerKey) writeKeyUse(entries, fromHex(old.peerKey), use);
}
