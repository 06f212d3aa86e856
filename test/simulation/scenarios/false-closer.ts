import { sha256, utf8 } from '@slipstream/primitives';
import { asId, blockIdOf, type RecordHash } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, frameOf } from '../attackers/corrupted.ts';

const FALSE_RECORD = asId<RecordHash>(sha256(utf8('a record that was not sealed')));

const SEALS_EVERY = 6;
/** Of the first boundary. Before, a false one would only show the liar. */
const LOWEST = SEALS_EVERY + 8;

export const falseCloser = attackScenario({
  name: 'false-closer',
  about:
    'Lying leaders close the epoch with a record that was not sealed: no block of theirs gets a vote, and once the seal is known they are blocked.',
  options: { application: { sealsEvery: SEALS_EVERY } },
  blockedFor: ['malformed-frame'],
  code: () =>
    corrupted((liar) => async (frame) => {
      // A confirmation would name the block as it was.
      if (frame.name === 'consensus') return [frameOf('consensus', { ...frame.value, confirmations: [] })];
      if (frame.name !== 'proposal') return [frame];
      const { kind, block } = frame.value;
      if (block.height < LOWEST) return [frame];
      const closing = { ...block, next: FALSE_RECORD };
      const signature = await liar.proposal(kind, closing, blockIdOf(closing));
      return [frameOf('proposal', { ...frame.value, block: closing, signature })];
    }),
});
