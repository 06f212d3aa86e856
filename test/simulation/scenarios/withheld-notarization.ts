import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, frameOf } from '../attackers/corrupted.ts';

export const withheldNotarization = attackScenario({
  name: 'withheld-notarization',
  about:
    'Liars send votes, proposals and certificates to one or two others in turn, so that certificates split the network.',
  blockedFor: 'never',
  code: (_liar, { size }) =>
    corrupted((liar) => {
      let favourites: readonly number[] = [];
      let sinceMs = Number.NEGATIVE_INFINITY;
      return async (frame, to) => {
        const nowMs = liar.world.clock.monotonicMs();
        if (nowMs - sinceMs > 200) {
          sinceMs = nowMs;
          favourites = [liar.random.below(size), liar.random.below(size)];
        }
        if (frame.name === 'proposal') return liar.random.chance(0.5) || favourites.includes(to) ? [frame] : [];
        if (frame.name !== 'consensus' || favourites.includes(to)) return [frame];
        return [frameOf('consensus', { certificates: [], votes: [], confirmations: [] })];
      };
    }),
});
