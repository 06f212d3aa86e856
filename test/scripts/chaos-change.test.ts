import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '@slipstream/simulator';
import { expect, it, onTestFinished } from 'vitest';
import { type EpochRun, playChange, playChangesInTurn } from '../../scripts/chaos/epochs.ts';

const MEMBER = { validatorId: '0x01', name: 'validator-0', weight: 1 };
const RECORD = { epoch: 0, members: [MEMBER] };

/** The change is never sealed. */
function runOf(random: EpochRun['random'], signal: AbortSignal, playEpisode: EpochRun['playEpisode']): EpochRun {
  const governed = { cluster: { nodes: [] }, epochs: { newest: () => RECORD, current: () => RECORD } };
  return {
    governed: governed as unknown as EpochRun['governed'],
    random,
    signal,
    finalTransactions: () => 0,
    playEpisode,
    say() {},
  };
}

/** Its faults meet the actions of operators. */
const atActions = () => ({ ...createRandom('a'), fork: () => ({ ...createRandom('a'), chance: () => false }) });

it('a change that is stopped during an episode ends with it, as an error of the change alone', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const ending = new AbortController();
  let healed = false;
  const run = runOf(atActions(), ending.signal, async () => {
    ending.abort(new Error('stopped by a signal'));
    await sleep(1_000);
    healed = true;
    return { what: 'none', recoveredMs: 0 };
  });
  await expect(playChange(run, 1)).rejects.toThrow('stopped by a signal');
  expect(healed).toBe(true);
  expect(unhandled).toEqual([]);
});

it('a run that is interrupted ends without a failure, with what was done', async () => {
  const ending = new AbortController();
  const done: unknown[] = [];
  const run = runOf(atActions(), ending.signal, async () => {
    ending.abort();
    return { what: 'none', recoveredMs: 0 };
  });
  expect(await playChangesInTurn(run, 3, async (change) => void done.push(change))).toBeUndefined();
  expect(done).toEqual([]);
});

it('a failure of a change is one in an interrupted run too', async () => {
  const ending = new AbortController();
  const run = runOf(atActions(), ending.signal, async () => {
    ending.abort();
    throw new Error('the disk is gone');
  });
  expect(await playChangesInTurn(run, 3, async () => {})).toBe('change 1: the disk is gone');
});
