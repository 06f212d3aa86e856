import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, rewriteVotes } from '../attackers/corrupted.ts';
import type { Scenario } from '../scenario.ts';

/** What is no point of the curve, and a good signature of something else: both must be found. */
const invalidSigner = (name: string, liars: 'one' | 'as-many-as-can-be-borne'): Scenario =>
  attackScenario({
    name,
    about: `${liars === 'one' ? 'One liar signs' : 'As many liars as can be borne sign'} votes badly: bisection finds them, all block exactly them.`,
    realBls: true,
    liars,
    blockedFor: ['invalid-signature'],
    blocksEach: 3,
    code: () =>
      corrupted((liar) => {
        const isGarbage = liar.random.chance(0.5);
        return rewriteVotes(async (vote) => {
          if (isGarbage) return [{ ...vote, signature: liar.random.bytes(vote.signature.length) }];
          const { signature } = await liar.vote({
            kind: 'notarize',
            view: vote.subject.view,
            blockId: liar.randomId(),
          });
          return [{ ...vote, signature }];
        });
      }),
  });

export const oneInvalidSigner = invalidSigner('invalid-signer', 'one');
export const manyInvalidSigners = invalidSigner('invalid-signers', 'as-many-as-can-be-borne');
