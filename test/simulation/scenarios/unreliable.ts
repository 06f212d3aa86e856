import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, type Rewrite } from '../attackers/corrupted.ts';
import { twin } from '../attackers/twin.ts';

export const unreliable = attackScenario({
  name: 'unreliable',
  about: 'Liars drop half of their messages, to each peer another half, except answers to a starting node.',
  blockedFor: 'never',
  code: () =>
    corrupted(
      (liar): Rewrite =>
        async (frame) =>
          // Without it a node waits historyQueryMs before it votes, which may cost its view.
          frame.name === 'historyAnswer' || liar.random.chance(0.5) ? [frame] : [],
    ),
});

export const mixedFaults = attackScenario({
  name: 'mixed-faults',
  about: 'Twins, on a network that loses, repeats and reorders.',
  blockedFor: 'maybe',
  liars: 'as-many-as-can-be-borne',
  costMax: 1.5,
  options: { network: { lossRate: 0.1, duplicateRate: 0.05, reorderRate: 0.05, reorderMs: 100 } },
  code: () => twin({ regroupMs: 400 }),
});
