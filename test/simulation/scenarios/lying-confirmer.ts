import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, frameOf } from '../attackers/corrupted.ts';

export const lyingConfirmer = attackScenario({
  name: 'lying-confirmer',
  about: 'Lying leaders propose nothing and confirm the previous block again, early enough for votes: all block them.',
  blockedFor: ['malformed-frame'],
  code: () =>
    corrupted((liar) => async (frame) => {
      if (frame.name === 'consensus') return [frameOf('consensus', { ...frame.value, confirmations: [] })];
      if (frame.name !== 'proposal') return [frame];
      const { block } = frame.value;
      const blockId = block.parentId;
      const signature = await liar.proposal('normal', block, blockId);
      const confirmations = [{ epoch: block.epoch, view: block.view, blockId, signature }];
      return [frameOf('consensus', { certificates: [], votes: [], confirmations })];
    }),
});
