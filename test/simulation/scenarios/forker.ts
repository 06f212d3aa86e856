import { type Block, blockIdOf, height } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, frameOf } from '../attackers/corrupted.ts';

export const forker = attackScenario({
  name: 'forker',
  about:
    'Lying leaders build on an ancestor of the right parent: no validator votes past a view that was not nullified.',
  blockedFor: 'maybe',
  code: () =>
    corrupted((liar) => async (frame) => {
      if (frame.name === 'consensus') return [frameOf('consensus', { ...frame.value, confirmations: [] })];
      if (frame.name !== 'proposal') return [frame];
      const { block } = frame.value;
      const base = liar.ancestor(block, 2);
      if (base === undefined) return [frame];
      const fork: Block = {
        ...block,
        height: height(base.height + 1),
        parentId: blockIdOf(base),
        parentView: base.view,
      };
      const signature = await liar.proposal('normal', fork, blockIdOf(fork));
      return [frameOf('proposal', { ...frame.value, kind: 'normal', block: fork, signature })];
    }),
});
