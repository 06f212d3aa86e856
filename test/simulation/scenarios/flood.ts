import { GENESIS_EPOCH, type Vote, view } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { votesFrame } from '../attackers/corrupted.ts';
import { createViewFollower, scripted } from '../attackers/scripted.ts';

export const flood = attackScenario({
  name: 'flood',
  about:
    'Liars send valid votes for views far above and below, as fast as they can: no node stores them, blocks become final.',
  blockedFor: 'never',
  code: () =>
    scripted((liar) => {
      const follower = createViewFollower();
      const { random } = liar;
      return {
        everyMs: 5,
        onFrame: (frame) => follower.onFrame(frame),
        async act() {
          const votes: Vote[] = [];
          for (let i = 0; i < 16; i++) {
            const at = view(follower.view + random.pick([40, 65, 1000, 2 ** 30, 2 ** 50]) + random.below(1000));
            votes.push(await liar.vote({ kind: 'nullify', epoch: GENESIS_EPOCH, view: at }));
          }
          liar.broadcast(votesFrame(votes));
        },
      };
    }),
});
