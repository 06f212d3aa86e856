import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameOf } from './model/boundary/name.ts';
import { type BoundaryRules, RULES } from './model/boundary/rules.ts';
import { type BoundaryState, FIRST } from './model/boundary/state.ts';
import { stepsFrom } from './model/boundary/steps.ts';
import { checkBoundary, checkVoting } from './model/check.ts';
import { explore } from './model/explore.ts';

/** `npm run sim -- --model` explores three. */
const voting = [...checkVoting(2)];

describe('the model of the voting rules', () => {
  it.each(voting)('$name: $about', ({ asExpected, violation }) => {
    expect(asExpected, violation?.history.join('; ')).toBe(true);
  });
});

/** `npm run sim -- --model --long` explores more. */
const boundary = [...checkBoundary(false)];

describe('the model of the boundary between epochs', () => {
  it.each(boundary)('$name: $about', ({ asExpected, states, violation }) => {
    expect(asExpected, `${states} states; ${violation?.history.join('; ')}`).toBe(true);
  });
});

describe('the name of a state of the boundary', () => {
  const overlapping: BoundaryRules = { ...RULES, views: 2, nextViews: 2, staying: 2 };
  const walks = fc.array(fc.nat(), { maxLength: 20 });

  it('is the same for every order of members', () => {
    const orders = fc.shuffledSubarray([0, 1, 2], { minLength: 3 });
    fc.assert(
      fc.property(walks, orders, (walk, order) => {
        const state = stateAfter(walk, RULES);
        expect(nameOf(reordered(state, order), RULES)).toBe(nameOf(state, RULES));
      }),
    );
  });

  it('is the same when members that stay change places', () => {
    fc.assert(
      fc.property(walks, (walk) => {
        const state = stateAfter(walk, overlapping);
        expect(nameOf(reordered(state, [1, 0, 2]), overlapping)).toBe(nameOf(state, overlapping));
      }),
    );
  });

  it('distinguishes a member that stays from one that leaves', () => {
    const nullified = (member: number): BoundaryState => ({ ...FIRST, nullify: 1 << member });
    expect(nameOf(nullified(0), overlapping)).toBe(nameOf(nullified(1), overlapping));
    expect(nameOf(nullified(0), overlapping)).not.toBe(nameOf(nullified(2), overlapping));
  });
});

describe('an exploration', () => {
  const sums = {
    first: 1,
    nameOf: String,
    stepsFrom: (sum: number) => [
      { state: sum + 1, what: () => `${sum} and 1` },
      { state: sum * 2, what: () => `twice ${sum}` },
    ],
  };

  it('reports a shortest history of a violation', () => {
    const { violation } = explore({ ...sums, violated: (sum) => (sum === 11 ? 'no eleven' : undefined) }, 1_000);
    expect(violation).toEqual({
      property: 'no eleven',
      history: ['1 and 1', 'twice 2', '4 and 1', 'twice 5', '10 and 1'],
    });
  });

  it('is incomplete when it reaches its greatest number of states', () => {
    const exploration = explore({ ...sums, violated: () => undefined }, 1_000);
    expect(exploration).toEqual({ states: 1_000, complete: false, violation: undefined });
  });
});

function stateAfter(walk: readonly number[], rules: BoundaryRules): BoundaryState {
  let state = FIRST;
  for (const choice of walk) {
    const steps = stepsFrom(state, rules);
    state = steps[choice % steps.length]?.state ?? state;
  }
  return state;
}

/** Member 0 takes the place `order[0]`, and so on, in each three bits. */
function reordered(state: BoundaryState, order: readonly number[]): BoundaryState {
  const inOrder = (members: number): number => {
    let all = 0;
    for (let bit = 0; bit < 30; bit++) {
      if (((members >> bit) & 1) === 1) all |= 1 << (bit - (bit % 3) + (order[bit % 3] as number));
    }
    return all;
  };
  return {
    ...state,
    blocks: state.blocks.map((block) => ({ ...block, voters: inOrder(block.voters) })),
    nullify: inOrder(state.nullify),
    finalize: inOrder(state.finalize),
    nextNullify: inOrder(state.nextNullify),
  };
}
