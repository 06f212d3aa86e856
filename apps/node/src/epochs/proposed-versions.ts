import {
  changeKey,
  type FetchedEntries,
  proposalKey,
  readProposal,
  readQueue,
  readWaiting,
} from '@slipstream/execution';

/** Versions of the rules that open proposals name. */
export function proposedVersions(entries: FetchedEntries): readonly number[] {
  const { length } = readQueue(entries);
  entries.want(Array.from({ length }, (_, number) => changeKey(number)));
  const ids = readWaiting(entries).flatMap(({ kind, id }) => (kind === 'proposal' ? [id] : []));
  entries.want(ids.map(proposalKey));
  return ids.flatMap((id) =>
    (readProposal(entries, id)?.changes ?? []).flatMap((change) =>
      change.kind === 'setVersion' ? [change.version] : [],
    ),
  );
}
