/** What to do about an action that failed. */
import type { FailureCode } from '@slipstream/types';

const ADVICE: Partial<Readonly<Record<FailureCode, string>>> = {
  'not-a-governor':
    'This account does not govern: sign with the key of an administrator, or of an operator where operators decide (slipstream governance show).',
  'proposal-unknown':
    'There is no such open proposal: it was sealed, revoked, or it expired (slipstream governance show).',
  'proposal-limit':
    'This governor has as many open proposals as it may: revoke one, or wait until one is sealed or expires.',
  'proposal-time': 'It lies more than 90 days ahead: give an earlier --not-before.',
  'already-approved': 'This account approved the proposal before: others have to approve it now.',
  'not-approved': 'This account did not approve the proposal: there is nothing to revoke.',
  'key-used':
    'A validator has or had one of these keys, or an open proposal names it: make new keys (slipstream validator candidate, in another folder; slipstream validator rotate), or revoke that proposal.',
  'key-unknown':
    'No candidate or member has this key: propose the node first, or rotate to the key; a removed validator comes back with new keys.',
  'validator-unknown': 'No member of the committee has this id: see slipstream epochs current.',
  'weight-bounds': 'A weight is from 1 to 10,000.',
  'parameters-unsound': 'These fees or times are not sound: see docs/operators/change-parameters.md for their bounds.',
  'version-bounds': 'The version must be above that of the current epoch (slipstream epochs).',
  'not-the-operator': "Sign with the key of the validator's operator: slipstream validator status shows the account.",
  'already-leaving': 'It leaves at a seal already: slipstream validator status shows why it waits.',
  'ready-stale': 'An epoch began meanwhile: report again, slipstream validator ready signs for the new one.',
  'wrong-peer-key':
    'The BLS key belongs to another network key: use both keys of one candidacy or rotation, from the same folder.',
  'evidence-expired': 'The key was retired more than seven days ago: its evidence no longer counts.',
  'no-directory': 'The chain has no account directory: it was created without --directory (slipstream init).',
  'already-reported': 'The validator was reported or removed before: nothing is left to do.',
};

export function adviceOn(code: string): string | undefined {
  return Object.hasOwn(ADVICE, code) ? ADVICE[code as FailureCode] : undefined;
}
