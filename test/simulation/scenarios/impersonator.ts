import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, rewriteVotes } from '../attackers/corrupted.ts';

export const impersonator = attackScenario({
  name: 'impersonator',
  about: 'Liars send votes in the name of another: votes are refused, and the senders blocked.',
  blockedFor: ['wrong-signer'],
  code: (_liar, { size }) =>
    corrupted((liar) => rewriteVotes((vote) => [vote, { ...vote, signer: (liar.self + 1) % size }])),
});
