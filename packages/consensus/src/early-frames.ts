/** Early frames: of the next epoch, from its sealed members, retained until this node has moved. */
import type { PeerKey } from '@slipstream/ports';
import { type Committee, type ConsensusFrame, encodeFrame, type Proposal } from '@slipstream/types';
import type { Event } from './events.ts';

export interface EarlyFrames {
  keepFrame(from: PeerKey, frame: ConsensusFrame): void;
  keepProposal(from: PeerKey, proposal: Proposal): void;
  /** In order of arrival. */
  take(): readonly Event[];
}

/** A few views of votes and one proposal. Later ones come again: a member resends. */
const KEPT_BYTES_MAX = 64 * 1024;

export function createEarlyFrames(committee: Committee): EarlyFrames {
  const bytesLeft = new Map<PeerKey, number>(committee.members.map(({ peerKey }) => [peerKey, KEPT_BYTES_MAX]));
  const kept: Event[] = [];

  function keep(from: PeerKey, bytes: () => number, event: Event): void {
    const left = bytesLeft.get(from);
    if (left === undefined || left <= 0) return;
    const after = left - bytes();
    bytesLeft.set(from, after);
    if (after >= 0) kept.push(event);
  }

  return {
    keepFrame: (from, frame) =>
      keep(from, () => encodeFrame('consensus', frame).length, { type: 'consensus-frame', from, frame }),
    keepProposal: (from, proposal) =>
      keep(from, () => encodeFrame('proposal', proposal).length, { type: 'proposal', from, proposal }),
    take: () => kept.splice(0),
  };
}
