/** History answers: what members asked a node about their earlier messages (H4), also when they moved to an epoch before it. */
import type { PeerKey } from '@slipstream/ports';
import { type Epoch, type FrameValue, outgoingFrame, proposalCodec } from '@slipstream/types';
import type { ConsensusComponents } from './consensus.ts';
import type { Core } from './core.ts';
import type { EpochMembers } from './epoch-members.ts';

type HistoryQuery = FrameValue<'historyQuery'>;

export interface HistoryAnswers {
  /** Of the current epoch, or of the next one: that is answered after the move. */
  onQuery(from: PeerKey, query: HistoryQuery): void;
  moved(): void;
}

interface HistoryAnswersSetting {
  readonly transport: Pick<ConsensusComponents['transport'], 'send'>;
  readonly members: EpochMembers;
  readonly newestOf: Core['newestOf'];
  /** An own log that leads to a later epoch is not replayed yet: its votes there are not known. */
  readonly isReplaying: () => boolean;
}

export function createHistoryAnswers(setting: HistoryAnswersSetting): HistoryAnswers {
  const { transport, members, newestOf, isReplaying } = setting;
  /** The newest of each member of this epoch and its neighbours. */
  const early = new Map<PeerKey, HistoryQuery>();
  const current = (): Epoch => members.committee.epoch;

  function answer(from: PeerKey, { epoch, nonce }: HistoryQuery): void {
    const member = members.current(from);
    if (epoch !== current() || member === undefined || isReplaying()) return;
    const { proposals, ...newest } = newestOf(member.index);
    const encoded = proposals.map((proposal) => proposalCodec.encode(proposal));
    transport.send(from, 'proposal', outgoingFrame('historyAnswer', { epoch, nonce, ...newest, proposals: encoded }));
  }

  return {
    onQuery(from, query) {
      if (query.epoch === current() + 1 && members.has(from)) early.set(from, query);
      else answer(from, query);
    },
    moved() {
      const queries = [...early];
      early.clear();
      for (const [from, query] of queries) answer(from, query);
    },
  };
}
