/** Signing-history queries of members that moved to an epoch before this node. */
import type { PeerKey } from '@slipstream/ports';
import { type Committee, createCommittee, decodeFrame, epoch, type FrameValue } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createEpochMembers } from '../src/epoch-members.ts';
import { createHistoryAnswers } from '../src/history-answers.ts';
import { committeeOf, peerOf } from './core-world.ts';

const FIRST = committeeOf([1, 1, 1, 1]);
const JOINER = 7;
const NEXT: Committee = createCommittee(
  [0, 1, 2, JOINER].map((peer) => ({ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: peerOf(peer) })),
  epoch(1),
);

function answering() {
  const answered: { readonly to: PeerKey; readonly answer: FrameValue<'historyAnswer'> }[] = [];
  const members = createEpochMembers(FIRST);
  members.sealed(NEXT);
  let replaying = false;
  const answers = createHistoryAnswers({
    transport: {
      send(to, _lane, frame) {
        const decoded = decodeFrame(frame);
        if (decoded.ok && decoded.value.name === 'historyAnswer') answered.push({ to, answer: decoded.value.value });
        return true;
      },
    },
    members,
    newestOf: () => ({ votes: [], certificates: [], proposals: [] }),
    isReplaying: () => replaying,
  });
  return {
    ask: (from: number, of: number, nonce: number) => answers.onQuery(peerOf(from), { epoch: epoch(of), nonce }),
    move(to: Committee = NEXT) {
      members.moved(to);
      answers.moved();
    },
    replays(value: boolean) {
      replaying = value;
    },
    taken: () => answered.splice(0).map(({ to, answer }) => [to, answer.epoch, answer.nonce]),
  };
}

describe('a signing-history query', () => {
  it('of the current epoch is answered at once, one of a stranger never', () => {
    const { ask, taken } = answering();
    ask(1, 0, 5);
    ask(9, 0, 6);
    expect(taken()).toEqual([[peerOf(1), 0, 5]]);
  });

  it('of the next epoch is answered after the move, once, with the newest nonce', () => {
    const { ask, move, taken } = answering();
    ask(1, 1, 5);
    ask(1, 1, 6);
    ask(JOINER, 1, 7);
    expect(taken()).toEqual([]);
    move();
    expect(taken()).toEqual([
      [peerOf(1), 1, 6],
      [peerOf(JOINER), 1, 7],
    ]);
    move({ ...NEXT, epoch: epoch(2) });
    expect(taken()).toEqual([]);
  });

  it('of the next epoch is dropped from strangers, and from members that leave', () => {
    const { ask, move, taken } = answering();
    ask(9, 1, 5);
    ask(3, 1, 6);
    move();
    expect(taken()).toEqual([]);
  });

  it('of an epoch beyond the next is dropped', () => {
    const { ask, move, taken } = answering();
    ask(1, 2, 5);
    move();
    move({ ...NEXT, epoch: epoch(2) });
    expect(taken()).toEqual([]);
  });

  it('is not answered while own votes are replayed', () => {
    const { ask, move, replays, taken } = answering();
    replays(true);
    ask(1, 0, 5);
    ask(1, 1, 6);
    move();
    expect(taken()).toEqual([]);
  });
});
