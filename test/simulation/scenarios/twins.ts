import { attackScenario } from '../attackers/attack-scenario.ts';
import { twin } from '../attackers/twin.ts';

export const sampledTwins = attackScenario({
  name: 'twins-sampled',
  about: 'Each liar runs twice with one key; which peers see which of the two changes about every half second.',
  blockedFor: 'maybe',
  code: () => twin({ regroupMs: 250 }),
});

export const sustainedTwins = attackScenario({
  name: 'twins-sustained',
  about: 'Each liar runs twice with one key, each in another part of the network.',
  blockedFor: 'maybe',
  code: () => twin({}),
});
