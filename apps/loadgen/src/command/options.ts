import { availableParallelism } from 'node:os';
import { count, flag, type OptionValues, text } from '@slipstream/command-line';
import { FATES_MAX } from '../fate/sent-transactions.ts';
import { ACCOUNTS_MAX, TRANSACTION_BYTES_MAX } from '../workload/transfer-plan.ts';

export const LOAD_OPTIONS = {
  nodes: text('URL,URL', 'Send to these nodes of a running chain; the first is also read from.'),
  validators: count(4, [1, 64], 'N', 'Of its own network.'),
  fullnodes: count(1, [0, 32], 'N', 'Of its own network; the first is read from.'),
  set: text('KEY=VALUE,...', 'Configuration of the nodes of its own network: keys as in config.yaml.'),
  rate: count(200, [1, 50_000], 'TPS', 'Transactions per second.'),
  seconds: count(10, [1, 3_600], 'N', 'How long to send.'),
  accounts: count(1_000, [2, ACCOUNTS_MAX], 'N', 'Accounts that send and receive.'),
  bytes: count(0, [0, TRANSACTION_BYTES_MAX], 'N', 'Least size of a transaction; a plain transfer has 236.'),
  application: text(
    'token',
    'Every other transaction is a transfer of this example application, on a network of its own.',
  ),
  seed: text('TEXT', 'Of the workload; random when missing, and printed.'),
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
} as const;

export type LoadOptions = OptionValues<typeof LOAD_OPTIONS> & { readonly json: boolean };

/** All transactions of a run are signed first, and their outcomes stay in memory until the audit. */
const TRANSACTIONS_MAX = FATES_MAX;

/** One line per contradiction between options. */
export function faultsOf(options: LoadOptions): readonly string[] {
  const { rate, seconds, ceiling, nodes, kill, ramp, overload } = options;
  const own = nodes === undefined;
  const signTo = options['sign-to'];
  const modes = [ramp && '--ramp', overload && '--overload', options.signed !== undefined && '--signed'].filter(
    Boolean,
  );
  return [
    ...(ceiling < rate ? [`--ceiling ${ceiling} is below --rate ${rate}`] : []),
    ...(rate * seconds > TRANSACTIONS_MAX
      ? [`${rate} per second for ${seconds} s are more than ${TRANSACTIONS_MAX} transactions: run it in parts`]
      : []),
    ...(options.application !== undefined && options.application !== 'token'
      ? [`--application ${options.application} is no load: token is`]
      : []),
    ...(options.application !== undefined && !own
      ? ['--application is for a network of its own: leave --nodes out']
      : []),
    ...(kill && !own ? ['--kill is for a network of its own: leave --nodes out'] : []),
    ...(options.set !== undefined && !own ? ['--set is for a network of its own: leave --nodes out'] : []),
    ...(options.set !== undefined && !/^([a-zA-Z.]+=[^,=]+)(,[a-zA-Z.]+=[^,=]+)*$/.test(options.set)
      ? [`--set ${options.set} is not KEY=VALUE, or several separated by commas`]
      : []),
    ...(options.profile !== undefined && !own ? ['--profile is for a network of its own: leave --nodes out'] : []),
    ...(signTo !== undefined && own
      ? ['--sign-to needs the chain that it signs for: name its nodes with --nodes']
      : []),
    ...(options.signed !== undefined && own
      ? ['--signed needs the chain that it was signed for: name it with --nodes']
      : []),
    ...(modes.length > 1 ? [`${modes.join(' and ')} are different runs: choose one`] : []),
  ];
}
