/**
 * The bench in a draft: members that lead no view. Their weight stays below a third in all, so that members of more than two thirds lead:
 * other changes that would break this bring members back, the last ones of the record first.
 */
import { toHex } from '@slipstream/primitives';
import type { ValidatorId } from '@slipstream/types';
import type { Entries } from '../overlay.ts';
import type { Draft, Result } from './draft.ts';
import { FRESH_REPUTATION } from './reputation.ts';
import type { Weights } from './shares.ts';
import { readValidator, writeValidator } from './validators.ts';

/** Once all other changes are taken. */
export function keepBench(draft: Draft): void {
  const before = [...draft.benched];
  draft.benched.clear();
  if (!draft.parameters.leaderReputation) return;
  for (const name of before) if (hasRoom(draft, name)) draft.benched.add(name);
}

/** It stays in the queue as long as the member is benched. */
export function takeBench(draft: Draft, entries: Entries, id: ValidatorId): Result | 'not-ready' {
  const name = toHex(id);
  const validator = readValidator(entries, id);
  if (validator === undefined || !draft.weights.has(name)) return 'done';
  if (!countsTurns(draft)) {
    writeValidator(entries, id, { ...validator, reputation: FRESH_REPUTATION });
    return 'done';
  }
  const { benched, ready, due } = validator.reputation;
  if (benched) {
    if (draft.benched.has(name) && !ready) return 'not-ready';
    if (draft.benched.delete(name)) draft.changed = true;
    return 'done';
  }
  if (!due) {
    writeValidator(entries, id, { ...validator, reputation: { ...validator.reputation, queued: false } });
    return 'done';
  }
  if (!hasRoom(draft, name)) return 'waits';
  draft.benched.add(name);
  draft.changed = true;
  return 'not-ready';
}

/** Where the parameter changes, turns that were lost before count no more. */
export function countsTurns({ now, parameters }: Draft): boolean {
  return now.parameters.leaderReputation && parameters.leaderReputation;
}

function hasRoom({ weights, benched }: Draft, name: string): boolean {
  const weight = weights.get(name);
  if (weight === undefined) return false;
  return 3 * (sumOf(weights, benched) + weight) < sumOf(weights, weights.keys());
}

function sumOf(weights: Weights, names: Iterable<string>): number {
  let sum = 0;
  for (const name of names) sum += weights.get(name) ?? 0;
  return sum;
}
