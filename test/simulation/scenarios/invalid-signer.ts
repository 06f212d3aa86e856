import { GENESIS_EPOCH, subjectKey, type Vote } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, type Liar, rewriteVotes } from '../attackers/corrupted.ts';
import type { Scenario } from '../scenario.ts';

/** Signatures that encode no point, and valid ones of another message. */
const invalidSigner = (name: string, liars: 'one' | 'as-many-as-can-be-borne'): Scenario =>
  attackScenario({
    name,
    about: `${liars === 'one' ? 'One liar signs' : 'The maximum number of liars sign'} votes invalidly: each validator that checks one blocks exactly them, by bisection.`,
    realBls: true,
    liars,
    blockedFor: ['invalid-signature'],
    foundByChance: true,
    blocksEach: 3,
    code: () =>
      corrupted((liar) => {
        const isGarbage = liar.random.chance(0.5);
        const made = new Map<string, Uint8Array>();
        /** Two signatures of one vote would be detected without a bisection. */
        return rewriteVotes(async (vote) => {
          const key = subjectKey(vote.subject);
          const signature = made.get(key) ?? (await badSignature(liar, vote, isGarbage));
          made.set(key, signature);
          return [{ ...vote, signature }];
        });
      }),
  });

async function badSignature(liar: Liar, { subject, signature }: Vote, isGarbage: boolean): Promise<Uint8Array> {
  if (isGarbage) return liar.random.bytes(signature.length);
  return (await liar.vote({ kind: 'notarize', epoch: GENESIS_EPOCH, view: subject.view, blockId: liar.randomId() }))
    .signature;
}

export const oneInvalidSigner = invalidSigner('invalid-signer', 'one');
export const manyInvalidSigners = invalidSigner('invalid-signers', 'as-many-as-can-be-borne');
