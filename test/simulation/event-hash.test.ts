import { describe, expect, it } from 'vitest';
import { selectScenarios } from './runs.ts';
import { playScenario, type Scenario } from './scenario.ts';

const playOf = (name: string, seed: number, realBls = false) => {
  const [scenario] = selectScenarios(name) as readonly [Scenario];
  return playScenario(scenario, { seed, size: 4, realBls });
};

describe('two runs of a seed', () => {
  it.each(['all-online', 'lossy-links', 'unclean-shutdown', 'hailstorm', 'flapping-links'])(
    'are equal to the last event: %s',
    async (name) => {
      const first = await playOf(name, 7);
      const second = await playOf(name, 7);
      expect(second).toEqual(first);
      const other = await playOf(name, 8);
      expect(other.eventHash).not.toBe(first.eventHash);
    },
  );

  it('are equal with real signatures too', async () => {
    expect(await playOf('all-online', 3, true)).toEqual(await playOf('all-online', 3, true));
  });
});
