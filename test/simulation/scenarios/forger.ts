import { type Certificate, GENESIS_EPOCH, type Subject, view } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { frameOf } from '../attackers/corrupted.ts';
import { createViewFollower, scripted } from '../attackers/scripted.ts';

export const forger = attackScenario({
  name: 'forger',
  about: 'Liars send forged certificates of present and far views, some without a quorum: blocked at the first.',
  blockedFor: ['invalid-certificate'],
  code: (_liar, { size }) =>
    scripted((liar) => {
      const follower = createViewFollower();
      const { random } = liar;
      const everybody = Array.from({ length: size }, (_, member) => member);

      function forged(): Certificate {
        const at = view(follower.view + random.pick([0, 0, 1, 2, 50, 10_000, 2 ** 40]));
        const blockId = liar.randomId();
        const subject: Subject = random.pick<Subject>([
          { kind: 'notarize', epoch: GENESIS_EPOCH, view: at, blockId },
          { kind: 'nullify', epoch: GENESIS_EPOCH, view: at },
          { kind: 'finalize', epoch: GENESIS_EPOCH, view: at, blockId },
        ]);
        const signers = random.chance(0.3) ? everybody.slice(0, Math.floor((2 * size) / 3)) : everybody;
        return { subject, signers, aggregate: random.bytes(96) };
      }

      return {
        everyMs: 20,
        onFrame: (frame) => follower.onFrame(frame),
        act() {
          liar.broadcast(frameOf('consensus', { certificates: [forged()], votes: [], confirmations: [] }));
        },
      };
    }),
});
