/**
 * Parent of an honest Notarize (rules 4 and 4a): sent votes and all Byzantine ones are a quorum, or it is of the previous view and the
 * voter voted for it.
 */
import { toHex } from '@slipstream/primitives';
import type { MessageListener } from './sent-messages.ts';
import { type Watched, weighsQuorum } from './watched.ts';

interface Parent {
  readonly id: string;
  readonly view: number;
}

export function checkVoteParents(watched: Watched): MessageListener {
  const { committee } = watched;
  const byzantine = committee.members.filter(({ peerKey }) => !watched.isHonest(peerKey)).map(({ index }) => index);
  const parents = new Map<string, Parent>();
  const voters = new Map<string, Set<number>>([[toHex(watched.genesisId), new Set(committee.members.keys())]]);

  return {
    block(blockId, { parentId, parentView }) {
      parents.set(blockId, { id: toHex(parentId), view: parentView });
    },
    vote(from, { subject, signer }, check) {
      if (subject.kind !== 'notarize') return;
      const id = toHex(subject.blockId);
      const parent = parents.get(id);
      if (parent) {
        const forParent = voters.get(parent.id) ?? new Set();
        const isOwn = forParent.has(signer) && parent.view === subject.view - 1;
        const holds = isOwn || weighsQuorum(committee, [...forParent, ...byzantine]);
        check(holds, 'an early vote is for the child of an own vote (rule 4a)', { from, view: subject.view });
      }
      voters.set(id, (voters.get(id) ?? new Set()).add(signer));
    },
  };
}
