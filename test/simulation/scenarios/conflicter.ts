import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, rewriteVotes } from '../attackers/corrupted.ts';

export const conflicter = attackScenario({
  name: 'conflicter',
  about: 'Liars vote for a second block of each view too: all block them, with evidence.',
  blockedFor: ['conflicting-votes'],
  code: () =>
    corrupted((liar) =>
      rewriteVotes(async (vote) => {
        if (vote.subject.kind !== 'notarize' && vote.subject.kind !== 'finalize') return [vote];
        return [vote, await liar.vote({ ...vote.subject, blockId: liar.randomId() })];
      }),
    ),
});
