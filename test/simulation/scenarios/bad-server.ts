import { asId, type BlockId } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, frameOf, rivalOf } from '../attackers/corrupted.ts';

export const badServer = attackScenario({
  name: 'bad-server',
  about: 'Liars answer requests with other blocks: the requester blocks them and queries other peers.',
  blockedFor: 'maybe',
  costMax: 1,
  options: { network: { lossRate: 0.05 } },
  code: () =>
    corrupted((liar) => async (frame) => {
      if (frame.name !== 'syncResponse') return [frame];
      const blocks = frame.value.blocks.map((block) => ({
        ...rivalOf(block),
        parentId: asId<BlockId>(liar.randomId()),
      }));
      return [frameOf('syncResponse', { ...frame.value, blocks })];
    }),
});
