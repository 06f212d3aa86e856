/**
 * `loadgen`: sends transfers at a fixed rate, regardless of the chain's progress, and reports the outcome of each.
 *
 *   network (its own, or --nodes) --> mode: one rate | --ramp | --overload | --kill --> summary, --json, --report
 */
import { defineCommand, usageError } from '@slipstream/command-line';
import { faultsOf, LOAD_OPTIONS } from './options.ts';
import { openNetwork, pressOn } from './press.ts';

const INVOCATION = 'npm run loadgen --';
/** As a shell reports a process that SIGINT ended. */
const EXIT_INTERRUPTED = 130;

export const loadgenCommand = defineCommand({
  name: 'loadgen',
  invocation: INVOCATION,
  summary: 'Send transfers at a fixed rate, whatever the chain does, and report the outcome of each.',
  details: [
    'Without --nodes it starts a network of its own on this machine, and removes it at the end.',
    'Everything is signed before it is sent, and each latency counts from the time at which the transaction was due:',
    'a stall makes every transaction late that was due meanwhile. Final transactions are read from blocks.',
    'Senders and receivers follow a Zipf-Mandelbrot law (s = 1.0001, v = 2.7); the same --seed sends the same transfers.',
  ].join('\n'),
  options: LOAD_OPTIONS,
  example: `${INVOCATION} --rate 500 --seconds 30 --json`,
  async run({ options, terminal }) {
    const faults = faultsOf(options);
    if (faults.length > 0) throw usageError(INVOCATION, faults);
    const ending = new AbortController();
    const release = terminal.onSignals(() => {
      if (ending.signal.aborted) terminal.exit(EXIT_INTERRUPTED);
      terminal.err('Ending; interrupt again to end at once.');
      ending.abort();
    });
    const seed = options.seed ?? crypto.randomUUID().slice(0, 8);
    terminal.err(`seed ${seed}: ${options.accounts} accounts`);
    const pressing = { options, seed, terminal, signal: ending.signal };
    const network = await openNetwork(pressing);
    try {
      return await pressOn(network, pressing);
    } finally {
      await network.close();
      release();
    }
  },
});
