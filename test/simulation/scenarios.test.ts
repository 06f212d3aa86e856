import { describe, expect, it } from 'vitest';
import { playAll } from './run-pool.ts';
import { type RunResult, replayCommand, runsOf } from './runs.ts';
import { SCENARIOS } from './scenarios/index.ts';

/** CI plays more by `npm run sim`, long runs all. */
const SEED = 5;

const selection = { firstSeed: SEED, seeds: 1, realBls: false, long: false } as const;

async function failuresOf(scenario: string): Promise<readonly string[]> {
  const failures: string[] = [];
  const onResult = ({ run, failure }: RunResult) => {
    if (failure !== undefined) failures.push(`${failure}\n${replayCommand(run)}`);
  };
  await playAll(await runsOf({ ...selection, scenario, sizes: undefined }), { threads: 0, onResult });
  return failures;
}

describe('every scenario holds', () => {
  const short = SCENARIOS.filter(({ long }) => long !== true).map(({ name, about }) => [name, about] as const);

  it.each(short)('%s: %s', async (name) => {
    expect(await failuresOf(name)).toEqual([]);
  });
});

describe('the table of scenarios', () => {
  it('names each once, and every trap', () => {
    const names = SCENARIOS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => name.startsWith('trap-')).sort()).toEqual([
      'trap-blocked-over-epochs',
      'trap-boundary-never-final',
      'trap-cascade',
      'trap-certified-through-descendant',
      'trap-copy-over-boundary',
      'trap-crash-before-last',
      'trap-far-ahead',
      'trap-finalization-first',
      'trap-late-executor',
      'trap-liar-to-one',
      'trap-lost-logs',
      'trap-made-up-confirmation',
      'trap-old-view-new-epoch',
      'trap-power-cut',
      'trap-replayed-proposal',
      'trap-restarted-apart',
      'trap-silent-proposer',
      'trap-split-votes',
      'trap-stale-copy',
      'trap-stale-copy-all-restart',
      'trap-stale-copy-unheard',
      'trap-stale-leaver',
      'trap-stale-mark',
      'trap-started-twice',
      'trap-up-down-up',
    ]);
  });
});
