/**
 * Sound shares (epochs.md, "The seal"): a seal moves less than two thirds of the shares in all: sum over all validators of |share' - share| < 2/3. So less than a third
 * joins and less than a third goes, and those who stay are a quorum of both committees.
 *
 * In integers, with W and W' the total weights: 3 * sum of |w W' - w' W| < 2 W W'. Weights are at most 10,000 in all, so numbers are exact.
 */
import { COMMITTEE_MEMBERS_MAX, COMMITTEE_WEIGHT_MAX } from '@slipstream/types';

/** By validator id; without zeros. */
export type Weights = ReadonlyMap<string, number>;

/** Also: 1 to 1,024 members of at most 10,000 in all. */
export function isSound(now: Weights, next: Weights): boolean {
  const after = totalOf(next);
  if (after < 1 || after > COMMITTEE_WEIGHT_MAX || next.size > COMMITTEE_MEMBERS_MAX) return false;
  const before = totalOf(now);
  let moved = 0;
  for (const [id, weight] of now) moved += Math.abs(weight * after - (next.get(id) ?? 0) * before);
  for (const [id, weight] of next) if (!now.has(id)) moved += weight * before;
  return 3 * moved < 2 * before * after;
}

/**
 * The weight nearest to `target` that a validator of `next`, which is sound, can have. The set of sound weights is an interval around its
 * present one: the sum is convex in 1 / W'.
 */
export function soundWeightToward(now: Weights, next: Weights, id: string, target: number): number {
  const present = next.get(id) ?? 0;
  const trial = new Map(next);
  const sound = (weight: number): boolean => isSound(now, withWeight(trial, id, weight));
  if (sound(target)) return target;
  const direction = Math.sign(target - present);
  let [reached, beyond] = [0, Math.abs(target - present)];
  while (beyond - reached > 1) {
    const middle = Math.floor((reached + beyond) / 2);
    if (sound(present + direction * middle)) reached = middle;
    else beyond = middle;
  }
  return present + direction * reached;
}

function withWeight(weights: Map<string, number>, id: string, weight: number): Map<string, number> {
  if (weight === 0) weights.delete(id);
  else weights.set(id, weight);
  return weights;
}

function totalOf(weights: Weights): number {
  let total = 0;
  for (const weight of weights.values()) total += weight;
  return total;
}
