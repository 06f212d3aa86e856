import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, encodeAny, frameOf } from '../attackers/corrupted.ts';

/** SSZ: three offsets of a consensus frame, certificates, votes; a vote begins with kind (1 byte) and epoch (4). */
const VOTES_AT = 1 + 3 * 4;
const EPOCH_IN_VOTE = 1;

export const wrongEpoch = attackScenario({
  name: 'wrong-epoch',
  about: 'Liars send votes of another epoch: they are ignored, without blame (W11).',
  blockedFor: 'never',
  code: () =>
    corrupted(() => async (frame) => {
      if (frame.name !== 'consensus' || frame.value.votes.length === 0) return [frame];
      const bytes = encodeAny(frameOf('consensus', { ...frame.value, certificates: [], confirmations: [] })).slice();
      bytes[VOTES_AT + EPOCH_IN_VOTE] = 1;
      return [bytes];
    }),
});
