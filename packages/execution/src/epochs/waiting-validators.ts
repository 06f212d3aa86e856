/** Validators that a seal is awaited for: candidates, and those that rotate, leave or were reported. Bounded by the queue. */
import { toHex } from '@slipstream/primitives';
import { type ValidatorId, validatorIdOf } from '@slipstream/types';
import type { FetchedEntries } from '../overlay.ts';
import { CHANGES_KEY, changeKey, proposalKey, validatorKey } from './keys.ts';
import { readProposal } from './proposals.ts';
import { readQueue, readWaiting } from './queue.ts';
import { readValidator, type Validator } from './validators.ts';

export interface WaitingValidator {
  readonly id: ValidatorId;
  readonly validator: Validator;
}

/** In the order of their actions. */
export function waitingValidators(entries: FetchedEntries): readonly WaitingValidator[] {
  entries.want([CHANGES_KEY]);
  const { length } = readQueue(entries);
  entries.want(Array.from({ length }, (_, number) => changeKey(number)));
  const queue = readWaiting(entries);
  entries.want(queue.flatMap(({ kind, id }) => (kind === 'proposal' ? [proposalKey(id)] : [])));
  const ids = queue.flatMap(({ kind, id }): readonly ValidatorId[] => {
    if (kind !== 'proposal') return [id as ValidatorId];
    const changes = readProposal(entries, id)?.changes ?? [];
    return changes.flatMap((change) => (change.kind === 'addValidator' ? [validatorIdOf(change.blsPublicKey)] : []));
  });
  entries.want(ids.map(validatorKey));
  const found = new Map<string, WaitingValidator>();
  for (const id of ids) {
    const validator = readValidator(entries, id);
    if (validator !== undefined && waits(validator)) found.set(toHex(id), { id, validator });
  }
  return [...found.values()];
}

/** What was taken back keeps its place in the queue until a block looks at it. */
function waits({ status, rotation, leaving, reported }: Validator): boolean {
  if (status === 'removed') return false;
  return status === 'candidate' || rotation !== undefined || leaving || reported;
}
