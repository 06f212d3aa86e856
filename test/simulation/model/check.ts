/** Every safe variant completely, every broken one to its first disagreement. */
import { type Exploration, explore } from './explore.ts';
import { disagreement, violated } from './properties.ts';
import { BROKEN, SAFE, type Variant } from './variants.ts';

export interface ModelResult extends Exploration {
  readonly variant: Variant;
  /** A safe variant was explored completely without violation; a broken one was caught. */
  readonly asExpected: boolean;
}

/** Above any exploration of three views; a Set of strings ends at 16 million. */
const STATES_MAX = 15_000_000;

/** `views` of the safe variants; disagreement takes up to three. */
export function* checkModel(views: number): Generator<ModelResult> {
  for (const variant of SAFE) {
    const result = explore({ ...variant.rules, views }, violated, STATES_MAX);
    yield { ...result, variant, asExpected: result.complete && result.violation === undefined };
  }
  for (const variant of BROKEN) {
    const result = explore(variant.rules, disagreement, STATES_MAX);
    yield { ...result, variant, asExpected: result.violation !== undefined };
  }
}
