import { type Vote, view } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { votesFrame } from '../attackers/corrupted.ts';
import { createViewFollower, scripted } from '../attackers/scripted.ts';

export const flood = attackScenario({
  name: 'flood',
  about:
    'Liars send validly signed votes for views far above and below, as fast as they can: nobody keeps them, all go on.',
  blockedFor: 'never',
  code: () =>
    scripted((liar) => {
      const follower = createViewFollower();
      const { random } = liar;
      return {
        everyMs: 5,
        hear: (frame) => follower.hear(frame),
        async act() {
          const votes: Vote[] = [];
          for (let i = 0; i < 16; i++) {
            const at = view(follower.view + random.pick([40, 65, 1000, 2 ** 30, 2 ** 50]) + random.below(1000));
            votes.push(await liar.vote({ kind: 'nullify', view: at }));
          }
          liar.broadcast(votesFrame(votes));
        },
      };
    }),
});
