import { type Block, blockIdOf, hexOf } from '@slipstream/types';
import { corrupted, frameOf, type Liar } from './corrupted.ts';

/** `lied` is called for each proposal of a false block. */
export function leaderOfFalseBlocks(falsify: (block: Block, liar: Liar) => Block, lied: () => void) {
  return corrupted((liar) => {
    /** By replaced id: a resend has the same replacement. */
    const made = new Map<string, Block>();
    return async (frame) => {
      if (frame.name === 'consensus') return [frameOf('consensus', { ...frame.value, confirmations: [] })];
      if (frame.name !== 'proposal') return [frame];
      const { kind, block } = frame.value;
      const key = hexOf(blockIdOf(block));
      const falsified = made.get(key) ?? falsify(block, liar);
      made.set(key, falsified);
      lied();
      const signature = await liar.proposal(kind, falsified, blockIdOf(falsified));
      return [frameOf('proposal', { ...frame.value, block: falsified, signature })];
    };
  });
}
