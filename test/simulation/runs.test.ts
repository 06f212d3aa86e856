import { describe, expect, it } from 'vitest';
import { otherSizes, runsOf } from './runs.ts';

const selection = { firstSeed: 1, seeds: 2, realBls: false, long: false } as const;

async function sizesPlayed(scenario: string, sizes?: readonly number[]): Promise<readonly number[]> {
  const runs = await runsOf({ ...selection, scenario, sizes });
  return [...new Set(runs.map(({ size }) => size))];
}

describe('committee sizes', () => {
  it('are those of the scenario, unless others are asked for', async () => {
    expect(await sizesPlayed('all-online')).toEqual([4]);
    expect(await sizesPlayed('joiner-down')).toEqual([4, 7]);
    expect(await sizesPlayed('joiner-down', [5, 10])).toEqual([5, 10]);
  });

  it('stay those that a scenario is about, and it is said', async () => {
    expect(await sizesPlayed('two-leave', [4, 5, 7, 10])).toEqual([7, 10]);
    expect(await sizesPlayed('trap-restarted-apart', [7])).toEqual([4]);
    expect(otherSizes({ scenario: 'two-leave,all-online', sizes: [4, 7] })).toEqual([
      'two-leave means nothing with 4 members: it is played with 7',
    ]);
  });
});

describe('parts of the runs', () => {
  it('have each run once', async () => {
    const scenario = 'epochs,replace-all';
    const all = await runsOf({ ...selection, scenario, sizes: [4, 5, 7] });
    const parts = await Promise.all(
      [1, 2, 3, 4, 5].map((index) => runsOf({ ...selection, scenario, sizes: [4, 5, 7], part: { index, of: 5 } })),
    );
    expect(parts.flat()).toHaveLength(all.length);
    expect(new Set(parts.flat().map((run) => JSON.stringify(run)))).toEqual(
      new Set(all.map((run) => JSON.stringify(run))),
    );
  });
});
