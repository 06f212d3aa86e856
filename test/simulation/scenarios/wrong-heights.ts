import { type Block, height } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import type { Liar } from '../attackers/corrupted.ts';
import { leaderOfFalseBlocks } from '../attackers/false-blocks.ts';

const LIE_MAX = 100;

function ofAnotherHeight(block: Block, { random }: Liar): Block {
  return { ...block, height: height(block.height + 1 + random.below(LIE_MAX)) };
}

export const wrongHeights = attackScenario({
  name: 'wrong-heights',
  about:
    'Lying leaders sign blocks of heights that do not follow from their parents: no node executes one, all block them.',
  blockedFor: ['malformed-frame'],
  onOccasion: true,
  code: (_liar, _stage, lied) => leaderOfFalseBlocks(ofAnotherHeight, lied),
});
