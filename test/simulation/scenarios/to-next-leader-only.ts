import { createLeaderSchedule, type Vote, view } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, frameOf } from '../attackers/corrupted.ts';

export const toNextLeaderOnly = attackScenario({
  name: 'to-next-leader-only',
  about: 'Liars send votes and certificates to the leader of the next view only.',
  blockedFor: 'never',
  code: () =>
    corrupted((liar) => {
      const leaderOf = createLeaderSchedule(liar.setting.chain.committee, liar.setting.chain.genesisHash);
      const isFor = (to: number) => (vote: Vote) => leaderOf(view(vote.subject.view + 1)) === to;
      return async (frame, to) => {
        if (frame.name !== 'consensus') return [frame];
        const votes = frame.value.votes.filter(isFor(to));
        return votes.length > 0 ? [frameOf('consensus', { ...frame.value, votes })] : [];
      };
    }),
});
