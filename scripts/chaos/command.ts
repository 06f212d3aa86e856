/** `chaos`: injects faults into real processes and prints their effects. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count, defineCommand, EXIT_FAILED, flag, text, usageError } from '@slipstream/command-line';
import { FAULT_KINDS } from './faults.ts';
import { reportText } from './report.ts';
import { runChaos } from './run.ts';

const INVOCATION = 'npm run chaos --';
const MINUTES_DEFAULT = 10;
const SMOKE_MINUTES = 1;
const SEED_MAX = 999_999;
/** As a shell reports a process that SIGINT ended. */
const EXIT_INTERRUPTED = 130;
const ALL_KINDS = FAULT_KINDS.map(({ kind }) => kind);

export const chaosCommand = defineCommand({
  name: 'chaos',
  invocation: INVOCATION,
  summary: 'A network of real processes under load, with faults from a seed, and proof that nothing was lost.',
  details: [
    `Ends with a table; exits with 1 when anything was violated, else with ${EXIT_INTERRUPTED} when it was interrupted.`,
    'The schedule follows from seed, size and kinds:',
    ...FAULT_KINDS.map(({ kind, about }) => `  ${kind.padEnd(12)} ${about}`),
  ].join('\n'),
  options: {
    minutes: count(undefined, [1, 1_440], 'N', `How long faults are injected. Default: ${MINUTES_DEFAULT}.`),
    epochs: count(
      undefined,
      [1, 10_000],
      'N',
      'Changes of the committee and the parameters, each with an episode, instead of minutes.',
    ),
    smoke: flag(`A short run for every change: ${SMOKE_MINUTES} minute.`),
    validators: count(4, [4, 16], 'N', 'Validators: 4 and 7 are what is tested.'),
    fullnodes: count(1, [0, 4], 'N', 'Full nodes, each with two possible upstreams.'),
    seed: count(undefined, [0, SEED_MAX], 'N', 'Of the schedule. Default: a random one, which is printed.'),
    faults: text('KIND,KIND', 'Only these kinds. Default: all.'),
    load: count(100, [1, 5_000], 'TPS', 'Transfers per second.'),
    keep: flag('Keep the folder of the chain. It stays in any case when something was violated.'),
  },
  example: `${INVOCATION} --minutes 10 --validators 7 --seed 42 --json`,
  async run({ options, terminal }) {
    const kinds = options.faults?.split(',') ?? ALL_KINDS;
    const unknown = kinds.filter((kind) => !ALL_KINDS.includes(kind));
    if (unknown.length > 0) {
      throw usageError(INVOCATION, [`there is no fault ${unknown.join(', ')}: there are ${ALL_KINDS.join(', ')}`]);
    }
    const minutes = options.minutes ?? (options.smoke ? SMOKE_MINUTES : MINUTES_DEFAULT);
    const seed = options.seed ?? Math.floor(Math.random() * SEED_MAX);
    const { validators, fullnodes: fullNodes, load, json } = options;
    const repeat = [
      `${INVOCATION} --seed ${seed} ${options.epochs === undefined ? `--minutes ${minutes}` : `--epochs ${options.epochs}`} --validators ${validators} --fullnodes ${fullNodes} --load ${load}`,
      ...(options.faults === undefined ? [] : [`--faults ${options.faults}`]),
    ].join(' ');
    const say = json ? terminal.err : terminal.out;
    const folder = await mkdtemp(join(tmpdir(), 'slipstream-chaos-'));
    const ending = new AbortController();
    const release = terminal.onSignals(() => {
      if (ending.signal.aborted) terminal.exit(EXIT_INTERRUPTED);
      say('Ending; once more ends at once.');
      ending.abort();
    });
    try {
      say(`Seed ${seed}. Repeat: ${repeat}`);
      const report = await runChaos({
        folder,
        seed,
        minutes,
        ...(options.epochs !== undefined && { epochs: options.epochs }),
        validators,
        kinds,
        repeat,
        say,
        fullNodes,
        transactionsPerSecond: load,
        signal: ending.signal,
      });
      if (json) terminal.out(JSON.stringify(report));
      else terminal.out(reportText(report));
      const violated = report.violations.length > 0;
      if (violated || options.keep) say(`Logs and data are in ${folder}`);
      else await rm(folder, { recursive: true, force: true });
      if (violated) return EXIT_FAILED;
      return report.interrupted ? EXIT_INTERRUPTED : 0;
    } finally {
      release();
    }
  },
});
