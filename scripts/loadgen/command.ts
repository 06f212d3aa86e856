/**
 * `loadgen`: sends transfers at a set rate, whatever the chain does, and says what became of each.
 *
 *   network (its own, or --nodes) --> mode: one rate | --ramp | --overload | --kill --> summary, --json, --report
 */
import { availableParallelism } from 'node:os';
import {
  ACCOUNTS_MAX,
  createSeededRandom,
  createSignerPool,
  createStreamSubmitter,
  prepareChain,
  restSubmitter,
  TRANSACTION_BYTES_MAX,
} from '@slipstream/app-loadgen';
import { defineCommand } from '../../apps/node/src/cli/command.ts';
import { choice, count, flag, text } from '../../apps/node/src/cli/option.ts';
import { inFolder } from '../../apps/node/src/cli/places.ts';
import { usageError } from '../../apps/node/src/cli/usage-error.ts';
import { chooseMode, type ModeContext } from './modes.ts';
import { fromFile, signToFile } from './signed-files.ts';
import { networkAt, startOwnNetwork } from './target-network.ts';
import { writeReport } from './write-report.ts';

const INVOCATION = 'npm run loadgen --';
/** As a shell reports a process that SIGINT ended. */
const EXIT_INTERRUPTED = 130;

export const loadgenCommand = defineCommand({
  name: 'loadgen',
  invocation: INVOCATION,
  summary: 'Sends transfers at a set rate, whatever the chain does, and says what became of each.',
  details: [
    'Without --nodes it starts a network of its own on this machine, and removes it at the end.',
    'Everything is signed before it is sent, and each latency counts from the time at which the transaction was due:',
    'a stall, here or there, makes all that was due meanwhile late. What is final is read from blocks.',
    'Senders and receivers follow a Zipf-Mandelbrot law (s = 1.0001, v = 2.7); the same --seed sends the same transfers.',
  ].join('\n'),
  options: {
    nodes: text('URL,URL', 'Send to these nodes of a running chain; the first is also read from.'),
    validators: count(4, [1, 64], 'N', 'Of its own network.'),
    fullnodes: count(1, [0, 32], 'N', 'Of its own network; the first is read from.'),
    rate: count(200, [1, 50_000], 'TPS', 'Transactions a second.'),
    seconds: count(10, [1, 3_600], 'N', 'How long to send.'),
    accounts: count(1_000, [2, ACCOUNTS_MAX], 'N', 'Accounts that send and receive.'),
    bytes: count(0, [0, TRANSACTION_BYTES_MAX], 'N', 'Least size of a transaction; a plain transfer has 236.'),
    seed: text('TEXT', 'Of the workload; random when missing, and printed.'),
    transport: choice(
      ['stream', 'rest'],
      'stream',
      'How transactions are submitted: a WebSocket to each node, or batches by POST.',
    ),
    'sign-to': text('FILE', 'Only sign, for the chain of --nodes, and write it to a file.'),
    'start-in': count(30, [1, 3_600], 'SECONDS', 'For --sign-to: when it will be sent, from now.'),
    signed: text('FILE', 'Send what was signed to a file, at its time and rate.'),
    threads: count(availableParallelism(), [1, 64], 'N', 'Threads that sign, before anything is sent.'),
    ramp: flag('Find the highest rate whose p99 of finality stays under --bound, beginning at --rate.'),
    bound: count(2_000, [10, 60_000], 'MS', 'For --ramp.'),
    profile: text('FOLDER', "Write a processor profile (.cpuprofile) of each thread of its own network's nodes."),
    report: text('FILE', 'Write a report with charts: one HTML file.'),
    overload: flag('Take --rate as the capacity: run at it, at twice it, and at half, and judge how load is shed.'),
    kill: flag('Kill and restart validators of its own network meanwhile, one at a time.'),
    ceiling: count(20_000, [1, 50_000], 'TPS', 'Where --ramp ends.'),
  },
  example: `${INVOCATION} --rate 500 --seconds 30 --json`,
  async run({ options, terminal }) {
    if (options.ceiling < options.rate) {
      throw usageError(INVOCATION, [`--ceiling ${options.ceiling} is below --rate ${options.rate}`]);
    }
    if (options.kill && options.nodes !== undefined) {
      throw usageError(INVOCATION, ['--kill is for a network of its own: leave --nodes out']);
    }
    const say = terminal.err;
    const ending = new AbortController();
    const release = terminal.onSignals(() => {
      if (ending.signal.aborted) terminal.exit(EXIT_INTERRUPTED);
      say('Ending; once more ends at once.');
      ending.abort();
    });
    const seed = options.seed ?? crypto.randomUUID().slice(0, 8);
    say(`seed ${seed}: ${options.accounts} accounts`);
    const network =
      options.nodes === undefined
        ? await startOwnNetwork({
            ...options,
            fullNodes: options.fullnodes,
            say,
            ...(options.profile !== undefined && { profileFolder: inFolder(terminal, options.profile) }),
          })
        : networkAt(options.nodes.split(','));
    try {
      const workload = { seed, accounts: options.accounts, transactionBytes: options.bytes };
      const chain = await prepareChain(network.nodes, workload);
      const submitter = options.transport === 'rest' ? restSubmitter : createStreamSubmitter();
      const pool = createSignerPool(chain.task, options.threads);
      if (options['sign-to'] !== undefined) {
        const path = inFolder(terminal, options['sign-to']);
        const written = await signToFile({ chain, pool, say, wallMs: Date.now }, path, {
          ...options,
          seed,
          startIn: options['start-in'],
        });
        await pool.close();
        terminal.out(options.json ? JSON.stringify(written) : `${written.transactions} transactions in ${path}`);
        return 0;
      }
      const signed =
        options.signed === undefined ? undefined : await fromFile(inFolder(terminal, options.signed), chain, say);
      const context: ModeContext = {
        components: {
          ...{ chain, pool, nodes: network.nodes, submitter, say },
          unit: createSeededRandom(`${seed}/nodes`).unit,
          wallMs: Date.now,
        },
        network,
        signed: signed?.batches,
        signal: ending.signal,
        say,
      };
      try {
        const {
          exitCode,
          json,
          runs,
          text: words,
        } = await chooseMode(options)(context, { ...options, ...signed?.shape });
        if (options.report !== undefined) {
          await writeReport(inFolder(terminal, options.report), { seed, options, runs });
          say(`report: ${options.report}`);
        }
        terminal.out(options.json ? JSON.stringify({ seed, ...json }) : words);
        return exitCode;
      } finally {
        submitter.close();
        await pool.close();
      }
    } finally {
      await network.close();
      release();
    }
  },
});
