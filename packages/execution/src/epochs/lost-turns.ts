/**
 * Lost turns: the views between a block's parent and the block, each of its leader.
 *
 * A block with such a parent is notarized only on nullifications of all views between (consensus.md rule 4), so a quorum agreed that each
 * turn was lost, and a leader alone cannot take the turn of another. All these views are of the block's own epoch: its first one follows
 * the boundary's, and fillers are not executed. A block counts one lost turn of a member at most, so that an outage of the whole committee,
 * however long, benches no member.
 */
import {
  COMMITTEE_WEIGHT_MAX,
  createLeaderSchedule,
  epoch as epochOf,
  type GenesisHash,
  type ValidatorId,
  view,
} from '@slipstream/types';
import type { Entries } from '../overlay.ts';
import { enqueue } from './queue.ts';
import { type RecordHead, readMember, readMembers } from './records.ts';
import { afterLostTurn, afterOwnBlock } from './reputation.ts';
import { readValidator, type Validator, writeValidator } from './validators.ts';

interface Turn {
  readonly genesisHash: GenesisHash;
  readonly epoch: number;
  readonly height: number;
  readonly view: number;
  readonly parentView: number;
  readonly proposer: number;
}

/** `head`: of the record of the block's epoch. */
export function countLostTurns(entries: Entries, head: RecordHead, turn: Turn): void {
  if (!head.parameters.leaderReputation) return;
  const proposer = readMember(entries, turn.epoch, turn.proposer).validatorId;
  const known = readValidator(entries, proposer);
  if (known !== undefined && known.reputation.lostTurns > 0) {
    writeValidator(entries, proposer, { ...known, reputation: afterOwnBlock(known.reputation) });
  }
  if (turn.view === turn.parentView + 1) return;
  const members = readMembers(entries, turn.epoch, head.members);
  for (const index of leadersBetween(turn, members)) {
    if (index === turn.proposer) continue;
    const { validatorId } = members[index] as (typeof members)[number];
    const validator = readValidator(entries, validatorId);
    if (validator !== undefined) loseTurn(entries, validator, validatorId, turn.height);
  }
}

/** Ascending, each once. */
function leadersBetween(
  { genesisHash, epoch, view: at, parentView }: Turn,
  members: Parameters<typeof createLeaderSchedule>[0]['members'],
): readonly number[] {
  const leaderOf = createLeaderSchedule({ epoch: epochOf(epoch), members }, genesisHash);
  const leaders = new Set<number>();
  // A period of the schedule is no longer.
  const end = Math.min(at, parentView + 1 + COMMITTEE_WEIGHT_MAX);
  for (let lost = parentView + 1; lost < end; lost++) leaders.add(leaderOf(view(lost)));
  return [...leaders].sort((a, b) => a - b);
}

/** One that the next record benches already loses nothing by its last turns. */
function loseTurn(entries: Entries, validator: Validator, id: ValidatorId, height: number): void {
  const { reputation: before } = validator;
  if (before.benched) return;
  const after = afterLostTurn(before, height);
  const isNew = after.due && !before.queued;
  if (after.lostTurns === before.lostTurns && !isNew) return;
  writeValidator(entries, id, { ...validator, reputation: isNew ? { ...after, queued: true } : after });
  if (isNew) enqueue(entries, { kind: 'bench', id });
}
