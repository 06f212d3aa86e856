/** Makes one load from its options: network, accounts, run, report. */

import { type ExitCode, inFolder, type Terminal } from '@slipstream/command-line';
import { flagName } from '@slipstream/node-home';
import { networkAt, startOwnNetwork, type TargetNetwork } from '../network/target-network.ts';
import { type PreparedChain, prepareChain } from '../prepare.ts';
import { createSignerPool, type SignerPool } from '../signing/signer-pool.ts';
import { createSeededRandom } from '../workload/seeded-random.ts';
import { tokenInGenesis } from '../workload/token.ts';
import { chooseMode } from './modes.ts';
import type { LoadOptions } from './options.ts';
import { fromFile, signToFile } from './signed-files.ts';
import { writeReport } from './write-report.ts';

interface Pressing {
  readonly options: LoadOptions;
  readonly seed: string;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

export async function openNetwork({ options, seed, terminal }: Pressing): Promise<TargetNetwork> {
  if (options.nodes !== undefined) return networkAt(options.nodes.split(','));
  const { validators, fullnodes: fullNodes, accounts, profile, set } = options;
  return await startOwnNetwork({
    validators,
    fullNodes,
    accounts,
    say: terminal.err,
    ...(options.application !== undefined && { applications: [await tokenInGenesis(seed)] }),
    flags: set?.split(',').flatMap(flagOf) ?? [],
    ...(profile !== undefined && { profileFolder: inFolder(terminal, profile) }),
  });
}

const applicationOf = ({ application }: LoadOptions) => (application === undefined ? undefined : ('token' as const));

/** The flag of `KEY=VALUE`. */
function flagOf(pair: string): readonly string[] {
  const [key = '', value = ''] = pair.split('=');
  return [`--${flagName(key)}`, value];
}

export async function pressOn(network: TargetNetwork, pressing: Pressing): Promise<ExitCode> {
  const { options, seed } = pressing;
  const workload = {
    seed,
    accounts: options.accounts,
    transactionBytes: options.bytes,
    application: applicationOf(options),
  };
  const chain = await prepareChain(network.nodes, workload);
  const pool = createSignerPool(chain.task, options.threads);
  try {
    const path = options['sign-to'];
    return await (path === undefined ? send(network, chain, pool, pressing) : signOnly(path, chain, pool, pressing));
  } finally {
    await pool.close();
  }
}

async function signOnly(file: string, chain: PreparedChain, pool: SignerPool, pressing: Pressing): Promise<ExitCode> {
  const { options, seed, terminal } = pressing;
  const path = inFolder(terminal, file);
  const { rate, seconds } = options;
  const components = { chain, pool, say: terminal.err, wallMs: Date.now };
  const written = await signToFile(components, path, { seed, rate, seconds, startIn: options['start-in'] });
  terminal.out(options.json ? JSON.stringify(written) : `${written.transactions} transactions in ${path}`);
  return 0;
}

async function send(
  network: TargetNetwork,
  chain: PreparedChain,
  pool: SignerPool,
  pressing: Pressing,
): Promise<ExitCode> {
  const { options, seed, terminal, signal } = pressing;
  const say = terminal.err;
  const signed =
    options.signed === undefined ? undefined : await fromFile(inFolder(terminal, options.signed), chain, say);
  const { unit } = createSeededRandom(`${seed}/nodes`);
  const components = { chain, pool, nodes: network.nodes, say, unit, wallMs: Date.now };
  const context = { components, network, signed: signed?.batches, signal, say };
  const { exitCode, json, runs, text } = await chooseMode(options)(context, { ...options, ...signed?.shape });
  if (options.report !== undefined) {
    await writeReport(inFolder(terminal, options.report), { seed, options, runs });
    say(`report: ${options.report}`);
  }
  terminal.out(options.json ? JSON.stringify({ seed, ...json }) : text);
  return exitCode;
}
