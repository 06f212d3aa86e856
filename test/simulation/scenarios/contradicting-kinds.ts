import { blockIdOf } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, frameOf, rivalOf } from '../attackers/corrupted.ts';

export const contradictingKinds = attackScenario({
  name: 'contradicting-kinds',
  about:
    'A normal proposal and an optimistic one of another block, of one view and parent: equivocation, detected by all.',
  blockedFor: ['equivocation'],
  options: { consensus: { minBlockIntervalMs: 0 } },
  // After another liar's view, always nullified, it never proposes optimistically.
  onOccasion: true,
  code: (_liar, _stage, lied) =>
    corrupted((liar) => async (frame) => {
      if (frame.name !== 'proposal' || frame.value.kind !== 'optimistic') return [frame];
      lied();
      const block = rivalOf(frame.value.block);
      const signature = await liar.proposal('normal', block, blockIdOf(block));
      return [frame, frameOf('proposal', { ...frame.value, kind: 'normal', block, signature })];
    }),
});
