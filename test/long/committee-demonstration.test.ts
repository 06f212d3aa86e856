/** The demonstration of a changing committee, with the commands of the guides, at a load that any machine bears. */
import { freePortRange, removeFolder, temporaryFolder } from '@slipstream/devnet';
import { expect, onTestFinished, test } from 'vitest';
import { playDemonstration } from '../../scripts/demo/demonstration.ts';
import { faultsOf, reportText } from '../../scripts/demo/report.ts';

const NODES = 5;
/** Four minutes on two busy cores, at ten times the load. */
const MS_MAX = 600_000;

test('a committee changes until none of its first keys is left; nothing is lost or final twice, and proofs of both ends hold', {
  timeout: MS_MAX,
}, async () => {
  // A second try begins a chain of its own.
  const folder = await temporaryFolder();
  onTestFinished(() => removeFolder(folder));
  const basePort = await freePortRange(2 * NODES);
  const said: string[] = [];
  const report = await playDemonstration({
    folder,
    basePort,
    apiPort: basePort + NODES,
    transactionsPerSecond: 20,
    signal: new AbortController().signal,
    say: (text) => void said.push(text),
  });
  process.stdout.write(`${reportText(report)}\n`);
  expect(faultsOf(report), said.join('\n')).toEqual([]);
  expect(report.audit.exactlyOnce).toBe(true);
  expect(report.audit.final).toBeGreaterThan(0);
  expect(report.steps.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(report.proofs.map(({ epoch }) => epoch)).toEqual([0, 7]);
});
