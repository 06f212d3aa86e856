import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted } from '../attackers/corrupted.ts';

export const muteServer = attackScenario({
  name: 'mute-server',
  about: 'Liars send their proposals to a third, and answer no request: missing blocks are fetched from others.',
  blockedFor: 'never',
  liars: 'as-many-as-can-be-borne',
  costMax: 1,
  options: { network: { lossRate: 0.05 } },
  code: (_liar, { size, faultyMax }) =>
    corrupted((liar) => async (frame, to) => {
      if (frame.name === 'syncResponse' || frame.name === 'historyAnswer') return [];
      if (frame.name !== 'proposal') return [frame];
      const first = (liar.self + frame.value.block.view) % size;
      return (to - first + size) % size <= faultyMax ? [frame] : [];
    }),
});
