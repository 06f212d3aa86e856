/** Every safe variant completely, every broken one to its first violation. */
import {
  BROKEN as BROKEN_BOUNDARIES,
  modelOf,
  SAFE as SAFE_BOUNDARIES,
  SAFE_AND_LONG as SAFE_LONG_BOUNDARIES,
} from './boundary/variants.ts';
import { type Exploration, explore } from './explore.ts';
import { emptyBallot, nameOf } from './voting/ballot.ts';
import { disagreement, type Property, violated } from './voting/properties.ts';
import { stepsFrom, type VotingRules } from './voting/rules.ts';
import { BROKEN, SAFE } from './voting/variants.ts';

export interface ModelResult extends Exploration {
  readonly name: string;
  readonly about: string;
  /**
   * A safe variant was explored completely without violation; a broken one was caught. The numbers of states and steps of a boundary are
   * as they must be, too.
   */
  readonly asExpected: boolean;
}

/** Above any exploration of three views; a Map of strings ends at 16 million. */
const STATES_MAX = 15_000_000;

/** Of a broken boundary. The slowest takes a fifth; one that is no longer broken would go on for minutes. */
const CAUGHT_WITHIN = 500_000;

/** `views` of the safe variants; disagreement takes up to three. */
export function* checkVoting(views: number): Generator<ModelResult> {
  for (const { name, about, rules } of SAFE) {
    const result = exploreVoting({ ...rules, views }, violated);
    yield { name, about, ...result, asExpected: result.complete };
  }
  for (const { name, about, rules } of BROKEN) {
    const result = exploreVoting(rules, disagreement);
    yield { name, about, ...result, asExpected: result.violation !== undefined };
  }
}

function exploreVoting(rules: VotingRules, property: Property): Exploration {
  return explore(
    {
      first: emptyBallot(rules.honest, rules.views),
      nameOf,
      stepsFrom: (ballot) => stepsFrom(ballot, rules),
      violated: (ballot) => property(ballot, rules),
    },
    STATES_MAX,
  );
}

/** `long` adds the safe variants that take minutes. */
export function* checkBoundary(long: boolean): Generator<ModelResult> {
  for (const variant of long ? [...SAFE_BOUNDARIES, ...SAFE_LONG_BOUNDARIES] : SAFE_BOUNDARIES) {
    const { name, about, states } = variant;
    const result = explore(modelOf(variant), STATES_MAX);
    yield { name, about, ...result, asExpected: result.complete && result.states === states };
  }
  for (const variant of BROKEN_BOUNDARIES) {
    const { name, about, property, steps } = variant;
    const result = explore(modelOf(variant), CAUGHT_WITHIN);
    const { violation } = result;
    const asExpected = violation?.property === property && violation.history.length === steps;
    yield { name, about, ...result, asExpected };
  }
}
