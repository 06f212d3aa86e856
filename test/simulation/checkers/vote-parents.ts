/**
 * Parent of an honest Notarize (rules 4 and 4a): sent votes and all Byzantine ones are a quorum, or it is of the previous view and the
 * voter voted for it.
 */
import { toHex } from '@slipstream/primitives';
import { type Committee, type Epoch, GENESIS_EPOCH } from '@slipstream/types';
import type { MessageListener } from './sent-messages.ts';
import { type Watched, weighsQuorum } from './watched.ts';

interface Parent {
  readonly id: string;
  readonly view: number;
}

export function checkVoteParents(watched: Watched): MessageListener {
  const parents = new Map<string, Parent>();
  const epochs = new Map<string, Epoch>();
  /** Members of the block's epoch. */
  const voters = new Map<string, Set<number>>([[toHex(watched.genesisId), new Set(watched.committee.members.keys())]]);

  function byzantineIn({ members }: Committee): readonly number[] {
    return members.filter(({ peerKey }) => !watched.isHonest(peerKey)).map(({ index }) => index);
  }

  return {
    block(blockId, { epoch, parentId, parentView }) {
      parents.set(blockId, { id: toHex(parentId), view: parentView });
      epochs.set(blockId, epoch);
    },
    vote(from, { subject, signer }, check) {
      if (subject.kind !== 'notarize') return;
      const id = toHex(subject.blockId);
      const parent = parents.get(id);
      if (parent) {
        const epoch = epochs.get(parent.id) ?? GENESIS_EPOCH;
        const committee = watched.committeeOf(epoch);
        const forParent = voters.get(parent.id) ?? new Set();
        const isOwn = epoch === subject.epoch && forParent.has(signer) && parent.view === subject.view - 1;
        const holds = isOwn || weighsQuorum(committee, [...forParent, ...byzantineIn(committee)]);
        check(holds, 'an early vote is for the child of an own vote (rule 4a)', { from, view: subject.view });
      }
      voters.set(id, (voters.get(id) ?? new Set()).add(signer));
    },
  };
}
