/** Votes in the last certificates, relative to the committee's size. */
import type { CommitteeView } from '@slipstream/schema';
import { count } from '../../design/format.ts';
import type { ShownCommittee, ViewRow } from '../../stream/snapshot.ts';

interface Participation {
  readonly share: number | null;
  /** Average per certificate. */
  readonly signers: number | null;
  readonly members: number | null;
}

const VIEWS_COUNTED = 60;

export function participation(views: readonly ViewRow[], committee: ShownCommittee | null): Participation {
  const members = committee?.members.length ?? null;
  const firstView = committee?.firstView ?? 0;
  const counts = views
    .slice(-VIEWS_COUNTED)
    .filter(({ view }) => view >= firstView)
    .flatMap(({ notarizeSigners, certifySigners }) => [notarizeSigners, certifySigners])
    .filter((signers) => signers !== null);
  if (counts.length === 0 || members === null || members === 0) return { share: null, signers: null, members };
  const signers = counts.reduce((sum, each) => sum + each, 0) / counts.length;
  return { share: signers / members, signers, members };
}

/** In votes if all weights are 1, else in weight, which cannot be compared with votes. */
export function quorumNeeded(committee: CommitteeView | null): readonly [name: string, needed: string] {
  const isByWeight = committee !== null && committee.totalWeight !== committee.members.length;
  const needed = `${count(committee?.quorumWeight)} of ${count(committee?.totalWeight)}`;
  return [isByWeight ? 'weight needed' : 'quorum', needed];
}
