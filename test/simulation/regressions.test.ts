/** Faults that simulations found, each with the seed that showed it. */
import { describe, expect, it } from 'vitest';
import { play } from './runs.ts';

const FOUND = [
  {
    fault: 'a block was asked of the first four signers for ever: four silent ones starved whoever missed it',
    run: { scenario: 'trap-silent-proposer', size: 13, seed: 2, realBls: false },
  },
] as const;

describe('faults once found', () => {
  it.each(FOUND)('stay away: $fault', async ({ run }) => {
    expect((await play(run)).failure).toBeUndefined();
  });
});
