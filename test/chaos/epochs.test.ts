/** A short chaos run over epochs: a weight, a full node that is added, a validator that is removed, each with an episode of faults. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runChaos } from '../../scripts/chaos/run.ts';

const EPOCHS = 3;

test('three changes of the committee under faults and load violate nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-chaos-'));
  const lines: string[] = [];
  const report = await runChaos({
    folder,
    seed: 7,
    minutes: 0,
    epochs: EPOCHS,
    validators: 4,
    fullNodes: 1,
    transactionsPerSecond: 20,
    kinds: ['kill', 'cut', 'reset'],
    repeat: `npm run chaos -- --epochs ${EPOCHS} --seed 7 --load 20 --faults kill,cut,reset`,
    signal: new AbortController().signal,
    say: (line) => void lines.push(line),
  });
  await rm(folder, { recursive: true, force: true });
  expect(report.violations, lines.join('\n')).toEqual([]);
  expect(report.changes.map(({ what }) => what)).toEqual([
    expect.stringMatching(/^weight of validator-. 1 to 2$/),
    'full-node-0 added',
    expect.stringMatching(/ removed$/),
  ]);
  expect(report.changes.map(({ epoch }) => epoch)).toEqual([1, 2, 3]);
  expect(report.audit?.exactlyOnce).toBe(true);
  expect(report.audit?.final).toBeGreaterThan(0);
});
