/**
 *   start --> up --SIGINT--> stopping --> exit 0
 *                  \--again--> exit 130 at once       fault: reason, exit 1
 */
import { flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { consoleFolder } from '@slipstream/checkout';
import {
  defineCommand,
  EXIT_FAILED,
  type ExitCode,
  failureOf,
  flag,
  inFolder,
  type Terminal,
  text,
} from '@slipstream/command-line';
import {
  CONFIG_KEYS,
  type Config,
  environmentName,
  flagName,
  printConfig,
  strayVariables,
} from '@slipstream/node-home';
import { to0x } from '@slipstream/primitives';
import type { RunningNode } from '../../assembly/running-node.ts';
import { NodeError } from '../../errors.ts';
import { VERSION } from '../../version.ts';
import { DEVELOPMENT_FOLDER, developmentBanner, ensureDevelopmentChain, waitUntilReady } from '../development.ts';
import { createNodeLog, type NodeLog } from '../node-log.ts';
import { configOf } from '../places.ts';

const LEVEL = 'log.level';
/** As a shell reports a process that SIGINT ended. */
const EXIT_INTERRUPTED = 130;
/** A stop takes a second or two; a longer one is a defect. */
const STOP_MS_MAX = 30_000;
/** Time for an interrupted start and the stop after it; then the process ends. */
const GIVE_UP_MS = 2 * STOP_MS_MAX;

export const nodeCommand = defineCommand({
  name: 'node',
  summary: 'Run a node: a validator or a full node, with its API and console.',
  details:
    'Configuration: <home>/config.yaml, then environment (SLIPSTREAM_API_PORT=8080), then flags (--api-port 8080).',
  options: {
    home: text('DIR', "The node's folder. Default: where you are; with --dev: .slipstream/dev, the chain's folder."),
    dev: flag('A development chain with one validator and a funded key, made when it is missing.'),
    'print-config': flag('Print the configuration in force, each key with its meaning, and exit.'),
  },
  settings: Object.keys(CONFIG_KEYS).map(flagName),
  example: 'slipstream node --home chain/validator-0 --api-port 8081',
  async run({ options, config: flags, terminal, underWay }) {
    const home = options.dev
      ? await ensureDevelopmentChain(inFolder(terminal, options.home ?? DEVELOPMENT_FOLDER))
      : inFolder(terminal, options.home ?? '.');
    const config = await configOf(home, terminal, flags);
    if (options['print-config']) {
      terminal.out(options.json ? JSON.stringify(config) : printConfig(config).trimEnd());
      return 0;
    }
    // A validator outlives the reader of its output.
    terminal.outlivesOutput();
    const pretty = options.dev || terminal.interactive;
    // A development chain shows the banner, not a line per connection.
    const chosen = flags.has(flagName(LEVEL)) || terminal.environment[environmentName(LEVEL)] !== undefined;
    const level = options.dev && !chosen ? 'warn' : config[LEVEL];
    const log = createNodeLog({ level, name: config.name, pretty }, terminal);
    for (const name of strayVariables(terminal.environment)) {
      log.logger.warn(
        { name },
        `${name} in the environment names no key of the configuration, and is ignored: see --print-config`,
      );
    }
    return await runNode({ home, config, ...log, terminal, underWay, dev: options.dev, json: options.json });
  },
});

interface Run extends NodeLog {
  readonly home: string;
  readonly config: Config;
  readonly terminal: Terminal;
  readonly underWay: () => void;
  readonly dev: boolean;
  readonly json: boolean;
}

async function runNode(run: Run): Promise<ExitCode> {
  const { terminal, logger } = run;
  const stopping = new AbortController();
  let givingUp: NodeJS.Timeout | undefined;
  const release = terminal.onSignals((signal) => {
    if (stopping.signal.aborted) terminal.exit(EXIT_INTERRUPTED);
    logger.info({ signal }, 'stopping; once more stops at once');
    givingUp = setTimeout(() => terminal.exit(EXIT_INTERRUPTED), GIVE_UP_MS);
    stopping.abort();
  });
  try {
    const node = await start(run);
    const outcome = await Promise.race([
      whenAborted(stopping.signal).then(() => undefined),
      node.finished.then(() => undefined),
      node.failed.then((reason) => ({ reason })),
      announce(node, run, stopping.signal).then(() => new Promise<never>(() => {})),
    ]).catch(async (error: unknown) => {
      await stop(node);
      throw error;
    });
    if (outcome !== undefined) {
      await stop(node).catch((error: unknown) =>
        logger.error({ reason: failureOf(error).message }, 'not stopped in order'),
      );
      const replay = node.replayCommand();
      if (replay !== undefined) terminal.err(`The events of consensus are recorded. To see what led here: ${replay}`);
      throw outcome.reason;
    }
    await stop(node);
    logger.info('stopped');
    return 0;
  } catch (error) {
    const { exitCode, message } = failureOf(error);
    logger.fatal({ reason: message }, 'the node cannot go on');
    throw exitCode === EXIT_FAILED ? error : new NodeError('node-failed', message, {}, error);
  } finally {
    clearTimeout(givingUp);
    release();
  }
}

async function start({ home, config, logger, losses }: Run): Promise<RunningNode> {
  const { startNode } = await import('../../assembly/node.ts');
  const isTracing = config['tracing.endpoint'] !== '';
  // Here, since a running node imports nothing: another build may have replaced its files.
  const openExport = isTracing ? (await import('../../tracing/export.ts')).openExport : undefined;
  try {
    return await startNode({ home: resolve(home), config, logger, losses, consoleFolder: consoleFolder(), openExport });
  } catch (error) {
    throw withPortAdvice(error);
  }
}

/** Names the setting that chooses another port. */
function withPortAdvice(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  switch (error.code) {
    case 'port-in-use':
      return new NodeError('port-in-use', `${error.message}: --api-port 8081 (0 takes a free one)`, {}, error);
    case 'EADDRINUSE': {
      const message = `${error.message}. Choose another port: --api-port N, --network-listen HOST:N`;
      return new NodeError('port-in-use', message, {}, error);
    }
    default:
      return error;
  }
}

async function announce(node: RunningNode, run: Run, signal: AbortSignal) {
  const { home, config, terminal, underWay, dev, json, logger } = run;
  const { apiUrl, networkAddresses } = node;
  const chain = { chain: node.genesis.chain, genesis: to0x(node.genesisHash), development: node.genesis.development };
  const role = node.validator === undefined ? 'full-node' : `validator ${node.validator}`;
  const program = { version: VERSION, runtime: process.version, pid: process.pid };
  logger.info(
    { api: apiUrl, network: networkAddresses, ...chain, role, preset: config['consensus.preset'], ...program, home },
    'node is up',
  );
  // The node may be killed later.
  flushCompileCache();
  if (json) terminal.out(JSON.stringify({ name: node.name, api: apiUrl, network: networkAddresses, home }));
  if (!dev || apiUrl === undefined) return underWay();
  await waitUntilReady(apiUrl, signal);
  if (!json && !signal.aborted) terminal.out(await developmentBanner(node, apiUrl, home));
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}

async function stop(node: RunningNode): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `the node did not stop within ${STOP_MS_MAX / 1000} s. What is durable stays so; the next start recovers`;
    timer = setTimeout(() => reject(new NodeError('node-failed', message)), STOP_MS_MAX);
  });
  try {
    await Promise.race([node.stop(), late]);
  } finally {
    clearTimeout(timer);
  }
}
