import { GENESIS_EPOCH } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, rewriteVotes } from '../attackers/corrupted.ts';

export const nuller = attackScenario({
  name: 'nuller',
  about: 'Liars send Nullify and Finalize for every view in which they vote: all block them, with evidence.',
  blockedFor: ['conflicting-votes'],
  code: () =>
    corrupted((liar) =>
      rewriteVotes(async (vote) => {
        const { subject } = vote;
        if (subject.kind !== 'notarize') return [vote];
        const { view, blockId } = subject;
        const finalize = await liar.vote({ kind: 'finalize', epoch: GENESIS_EPOCH, view, blockId });
        return [vote, await liar.vote({ kind: 'nullify', epoch: GENESIS_EPOCH, view }), finalize];
      }),
    ),
});
