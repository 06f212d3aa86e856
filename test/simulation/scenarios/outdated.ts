import type { Vote } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, rewriteVotes } from '../attackers/corrupted.ts';

export const outdated = attackScenario({
  name: 'outdated',
  about: 'Votes of the liars arrive 5 to 40 views late: no validator waits for them or blocks them.',
  blockedFor: 'never',
  code: () =>
    corrupted((liar) => {
      const lateViews = 5 + liar.random.below(36);
      const held = new Map<number, Vote[]>();
      return rewriteVotes((vote, to) => {
        const queue = held.get(to) ?? [];
        held.set(to, queue);
        queue.push(vote);
        const due = queue.filter(({ subject }) => subject.view + lateViews <= vote.subject.view);
        held.set(
          to,
          queue.filter((kept) => !due.includes(kept)),
        );
        return due.slice(0, 32);
      });
    }),
});
