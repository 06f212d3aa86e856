/** `demo:committee`: plays the guides of a changing committee on a devnet under load, and prints what it cost. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count, defineCommand, EXIT_FAILED, flag, portFaults, usageError } from '@slipstream/command-line';
import { playDemonstration } from './demonstration.ts';
import { faultsOf, reportText } from './report.ts';

const INVOCATION = 'npm run demo:committee --';
const PORT_RANGE = [1, 65_000] as const;

export const demoCommand = defineCommand({
  name: 'demo:committee',
  invocation: INVOCATION,
  summary:
    'A devnet under load whose committee changes, with the commands of the guides, until none of its first keys is left.',
  details:
    'A fifth validator is added, one is removed, all BLS and network keys are rotated one after another, and the limit of a block is ' +
    'changed. Exits with 1 when a transaction is lost or final twice, a first key is left, or a proof fails.',
  options: {
    load: count(200, [1, 5_000], 'TPS', 'Transfers per second.'),
    'network-port': count(9000, PORT_RANGE, 'PORT', 'Node i listens to peers on PORT + i.'),
    'api-port': count(8080, PORT_RANGE, 'PORT', 'Node i serves its interface and console on PORT + i.'),
    keep: flag('Keep the folder of the chain. It stays in any case when something failed.'),
  },
  example: `${INVOCATION} --load 200`,
  async run({ options, terminal }) {
    const { load, 'network-port': basePort, 'api-port': apiPort, json } = options;
    const faults = portFaults({ 'network-port': basePort, 'api-port': apiPort }, 5);
    if (faults.length > 0) throw usageError(INVOCATION, faults);
    const say = json ? terminal.err : terminal.out;
    const folder = await mkdtemp(join(tmpdir(), 'slipstream-demo-'));
    const ending = new AbortController();
    const release = terminal.onSignals(() => ending.abort(new Error('stopped by a signal')));
    try {
      const shape = { folder, basePort, apiPort, transactionsPerSecond: load };
      const report = await playDemonstration({ ...shape, signal: ending.signal, say });
      terminal.out(json ? JSON.stringify(report) : reportText(report));
      const failed = faultsOf(report).length > 0;
      if (failed || options.keep) say(`Logs and data are in ${folder}`);
      else await rm(folder, { recursive: true, force: true });
      return failed ? EXIT_FAILED : 0;
    } catch (error) {
      say(`Logs and data are in ${folder}`);
      throw error;
    } finally {
      release();
    }
  },
});
