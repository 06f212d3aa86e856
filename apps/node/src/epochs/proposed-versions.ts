import {
  changeKey,
  type FetchedEntries,
  proposalKey,
  readProposal,
  readQueue,
  readWaiting,
} from '@slipstream/execution';
import type { Change, UpgradeApplication } from '@slipstream/types';

/** Versions of the rules that open proposals name. */
export function proposedVersions(entries: FetchedEntries): readonly number[] {
  return proposedChanges(entries).flatMap((change) => (change.kind === 'setVersion' ? [change.version] : []));
}

/** Upgrades of applications in open proposals. */
export function proposedUpgrades(entries: FetchedEntries): readonly UpgradeApplication[] {
  return proposedChanges(entries).flatMap((change) => (change.kind === 'upgradeApplication' ? [change] : []));
}

function proposedChanges(entries: FetchedEntries): readonly Change[] {
  const { length } = readQueue(entries);
  entries.want(Array.from({ length }, (_, number) => changeKey(number)));
  const ids = readWaiting(entries).flatMap(({ kind, id }) => (kind === 'proposal' ? [id] : []));
  entries.want(ids.map(proposalKey));
  return ids.flatMap((id) => readProposal(entries, id)?.changes ?? []);
}
