import { type Block, blockIdOf, height, hexOf } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, frameOf } from '../attackers/corrupted.ts';

const LIE_MAX = 100;

export const wrongHeights = attackScenario({
  name: 'wrong-heights',
  about:
    'Lying leaders sign blocks of heights that do not follow from their parents: nobody executes one, all block them.',
  blockedFor: ['malformed-frame'],
  onOccasion: true,
  code: (_liar, _stage, lied) =>
    corrupted((liar) => {
      /** By what it stands for: the same one again when it is sent again. */
      const made = new Map<string, Block>();
      return async (frame) => {
        if (frame.name === 'consensus') return [frameOf('consensus', { ...frame.value, confirmations: [] })];
        if (frame.name !== 'proposal') return [frame];
        const { kind, block } = frame.value;
        const key = hexOf(blockIdOf(block));
        const wrong = made.get(key) ?? { ...block, height: height(block.height + 1 + liar.random.below(LIE_MAX)) };
        made.set(key, wrong);
        lied();
        const signature = await liar.proposal(kind, wrong, blockIdOf(wrong));
        return [frameOf('proposal', { ...frame.value, block: wrong, signature })];
      };
    }),
});
