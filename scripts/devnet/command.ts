/**
 * `devnet`: starts a network, prints its URLs, runs it until Ctrl-C or for a given time, and prints a summary.
 *
 *   folder --> start --> table of URLs --> (load) --> Ctrl-C, --exit-after, or all nodes died --> summary --> stop
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterLoad, startClusterLoad } from '@slipstream/app-loadgen';
import { consoleFolder } from '@slipstream/checkout';
import {
  choice,
  count,
  defineCommand,
  type ExitCode,
  flag,
  inFolder,
  portFaults,
  type Terminal,
  text,
  usageError,
} from '@slipstream/command-line';
import {
  type Cluster,
  createCluster,
  DevnetError,
  type Gateway,
  holdsChain,
  holdsIdentityChain,
  type IdentityChain,
  identityPortFaults,
  identityPorts,
  isFree,
  openIdentityChain,
  REGIONS,
  readChain,
  regionsOf,
  startGateway,
  watchCluster,
} from '@slipstream/devnet';
import { readFoundingApplications } from '@slipstream/node-home/applications';
import { DISTILLED_DEFAULTS } from '@slipstream/types';
import { watchNodeDeaths } from './node-deaths.ts';
import { readLatencies, type Summary, summarize, summaryText } from './summary.ts';

const INVOCATION = 'npm run devnet --';
const VALIDATORS_DEFAULT = 4;
/** As a shell reports a process that SIGINT ended. */
const EXIT_INTERRUPTED = 130;
const PORT_RANGE = [1, 65_000] as const;
const SHAPE = { validators: 'validators', fullnodes: 'full nodes' } as const;

export const devnetCommand = defineCommand({
  name: 'devnet',
  invocation: INVOCATION,
  summary: 'A network of real processes on this machine, over real sockets.',
  details:
    'Ctrl-C stops all of it. A folder that holds a chain is continued: kill whatever you like, start again, and it goes on.',
  options: {
    validators: count(undefined, [1, 64], 'N', `Validators. Default: ${VALIDATORS_DEFAULT}.`),
    fullnodes: count(undefined, [0, 32], 'N', 'Nodes that follow and serve, and cast no votes. Default: 0.'),
    dir: text('DIR', 'Folder of the chain. Default: a temporary one, removed at the end.'),
    keep: flag('Keep the temporary folder.'),
    'network-port': count(9000, PORT_RANGE, 'PORT', 'Node i listens to peers on PORT + i.'),
    'api-port': count(8080, PORT_RANGE, 'PORT', 'Node i serves its interface and console on PORT + i.'),
    'fleet-port': count(
      undefined,
      PORT_RANGE,
      'PORT',
      'The fleet console: all nodes and a danger zone. Default: the port after the last interface, or a free one.',
    ),
    'exit-after': count(undefined, [1, 86_400], 'SECONDS', 'Stop by itself, counted from when all nodes are ready.'),
    load: count(undefined, [1, 20_000], 'TPS', 'Send this many transfers per second, and follow each to its end.'),
    latency: text('aws:N', `Delay links as if the nodes were in the first N of ${REGIONS.length} regions.`),
    corrupt: count(undefined, [0, 63], 'INDEX', 'This validator signs wrongly: see it found and blocked.'),
    'identity-chain': flag(
      'A second chain of one validator, where users sign in: sessions that it grants act on this one.',
    ),
    application: text(
      'ARTIFACT[=INPUT],...',
      'Applications that a new chain runs, each with the JSON file of what it begins with.',
    ),
    restart: flag('Start a node again when it dies.'),
    'log-level': choice(
      ['debug', 'info', 'warn', 'error'],
      'info',
      "Severity of the nodes' logs (node.log in their folders).",
    ),
  },
  example: `${INVOCATION} --validators 4 --fullnodes 1 --load 200 --exit-after 60 --json`,
  async run({ options, terminal }) {
    const regions = options.latency === undefined ? undefined : regionsOf(options.latency);
    if (options.latency !== undefined && regions === undefined) {
      throw usageError(INVOCATION, [`--latency must be aws:1 to aws:${REGIONS.length}, not "${options.latency}"`]);
    }
    const temporary = options.dir === undefined;
    const folder = temporary
      ? await mkdtemp(join(tmpdir(), 'slipstream-devnet-'))
      : inFolder(terminal, options.dir as string);
    await checkShape(folder, options);
    const flags = ['--log-level', options['log-level']];
    const identity = await identityChainOf(folder, options, flags);
    const cluster = await createCluster({
      folder,
      ...(identity && { trustedIssuers: [identity.rootKey] }),
      validators: options.validators ?? VALIDATORS_DEFAULT,
      fullNodes: options.fullnodes ?? 0,
      distilled: DISTILLED_DEFAULTS,
      applications:
        options.application === undefined
          ? []
          : await readFoundingApplications(options.application, (file) => inFolder(terminal, file)),
      basePort: options['network-port'],
      apiPort: options['api-port'],
      ...(options.corrupt !== undefined && { corrupt: options.corrupt }),
      ...(regions && { regions }),
      flags: [...flags, '--development-faults', 'true'],
    });
    const say = options.json ? terminal.err : terminal.out;
    const kept = !temporary || options.keep;
    const exitCode = await runNetwork(cluster, { ...options, say, terminal, identity: identity?.cluster }).catch(
      async (error: unknown) => {
        // Nothing has run yet, so the folder holds nothing of interest.
        if (error instanceof DevnetError && error.code === 'port-in-use' && !kept) await removeFolder(folder);
        throw error;
      },
    );
    if (kept || exitCode !== 0) say(`The chain is in ${folder}; go on with it: ${INVOCATION} --dir ${folder}`);
    else await removeFolder(folder);
    return exitCode;
  },
});

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

interface Asked {
  readonly validators: number | undefined;
  readonly fullnodes: number | undefined;
  readonly corrupt: number | undefined;
  readonly 'network-port': number;
  readonly 'api-port': number;
  readonly 'identity-chain': boolean;
}

async function checkShape(folder: string, asked: Asked): Promise<void> {
  const faults = holdsChain(folder) ? await oldFaults(folder, asked) : newFaults(asked);
  if (faults.length > 0) throw usageError(INVOCATION, faults);
}

/** Options that differ from the existing chain's nodes. */
async function oldFaults(folder: string, asked: Asked): Promise<readonly string[]> {
  const nodes = await readChain(folder);
  const validators = nodes.filter(({ validator }) => validator !== undefined).length;
  const has = { validators, fullnodes: nodes.length - validators };
  const others = (['validators', 'fullnodes'] as const).filter(
    (key) => asked[key] !== undefined && asked[key] !== has[key],
  );
  return [
    ...others.map(
      (key) =>
        `${folder} holds a chain with ${has[key]} ${SHAPE[key]}, not ${asked[key]}: leave --${key} out, or name another --dir`,
    ),
    ...corruptFaults(asked, validators),
  ];
}

function newFaults(asked: Asked): readonly string[] {
  const validators = asked.validators ?? VALIDATORS_DEFAULT;
  const ports = { 'network-port': asked['network-port'], 'api-port': asked['api-port'] };
  const nodes = validators + (asked.fullnodes ?? 0);
  const first = { basePort: asked['network-port'], apiPort: asked['api-port'] };
  const ofIdentity = asked['identity-chain'] ? identityPortFaults(first, nodes) : [];
  return [...portFaults(ports, nodes), ...ofIdentity, ...corruptFaults(asked, validators)];
}

function corruptFaults({ corrupt }: Asked, validators: number): readonly string[] {
  if (corrupt === undefined || corrupt < validators) return [];
  return [`--corrupt ${corrupt}: the last of ${validators} validators is ${validators - 1}`];
}

interface RunOptions {
  readonly json: boolean;
  readonly 'exit-after': number | undefined;
  readonly load: number | undefined;
  readonly 'fleet-port': number | undefined;
  readonly restart: boolean;
  readonly identity: Cluster | undefined;
  readonly terminal: Terminal;
  say(text: string): void;
}

async function runNetwork(cluster: Cluster, options: RunOptions): Promise<ExitCode> {
  const { terminal, say } = options;
  const ending = new AbortController();
  const release = terminal.onSignals(() => {
    if (ending.signal.aborted) terminal.exit(EXIT_INTERRUPTED);
    say('Stopping; once more stops at once.');
    ending.abort();
  });
  let gateway: Gateway | undefined;
  const deaths = watchNodeDeaths(cluster, { restart: options.restart, say, allDead: () => ending.abort() });
  try {
    say(`Starting ${cluster.nodes.length} nodes in ${cluster.folder} ...`);
    await Promise.race([Promise.all([cluster.start(), options.identity?.start()]), whenAborted(ending.signal)]);
    if (ending.signal.aborted) return EXIT_INTERRUPTED;
    gateway = await openGateway(cluster, options['fleet-port']);
    say(urlTable(cluster, gateway));
    if (options.identity) say(identityText(options.identity, cluster));
    const summary = await measure(cluster, options, deaths.errors, ending.signal);
    say(summaryText(summary));
    if (options.json) terminal.out(JSON.stringify(summary));
    return summary.errors.length > 0 || summary.transactions.lost > 0 ? 1 : 0;
  } finally {
    deaths.close();
    await gateway?.stop();
    await Promise.all([cluster.stop(), options.identity?.stop()]);
    release();
  }
}

async function measure(
  cluster: Cluster,
  { 'exit-after': exitAfter, load: transactionsPerSecond, say }: RunOptions,
  errors: readonly string[],
  ending: AbortSignal,
): Promise<Summary> {
  const startHeight = Math.max(...(await Promise.all(cluster.nodes.map(heightOf))));
  let load: ClusterLoad | undefined;
  const watch = watchCluster(cluster);
  try {
    const startMs = performance.now();
    const timeIsOver = exitAfter === undefined ? new Promise<never>(() => {}) : sleep(exitAfter * 1_000);
    if (transactionsPerSecond !== undefined) {
      load = await startClusterLoad(cluster, { transactionsPerSecond });
      say(`Sending ${transactionsPerSecond} transfers per second.`);
    }
    await Promise.race([timeIsOver, whenAborted(ending)]);
    const seconds = (performance.now() - startMs) / 1_000;
    const latencies = readLatencies(cluster, watch);
    await load?.finish();
    return await summarize({ cluster, watch, load, seconds, startHeight, errors }, latencies);
  } finally {
    watch.stop();
  }
}

async function heightOf({ client }: Cluster['nodes'][number]): Promise<number> {
  return (await client.status()).height;
}

/** Fails when a requested port is taken; the default port is replaced by any free one. */
async function openGateway(cluster: Cluster, port: number | undefined): Promise<Gateway> {
  const usual = Math.max(...cluster.nodes.map(({ apiPort }) => apiPort)) + 1;
  const chosen = port ?? ((await isFree(usual)) ? usual : 0);
  try {
    return await startGateway(cluster, { port: chosen, consoleFolder: consoleFolder() });
  } catch (cause) {
    throw new DevnetError('port-in-use', `port ${chosen} is in use: choose another with --fleet-port`, {}, cause);
  }
}

function urlTable({ nodes }: Cluster, { url, token }: Gateway): string {
  const width = Math.max(...nodes.map(({ name }) => name.length));
  return [
    '',
    '  Each node serves its interface and its console:',
    ...nodes.map(
      ({ name, url, process }) => `  ${name.padEnd(width)}  ${url}  pid ${process.pid}  log ${process.logFile}`,
    ),
    '',
    '  All of them, and a danger zone to break them on purpose:',
    `  fleet console  ${url}/#/fleet/token/${token}`,
    '',
  ].join('\n');
}

function identityChainOf(
  folder: string,
  options: {
    readonly 'identity-chain': boolean;
    readonly 'network-port': number;
    readonly 'api-port': number;
  },
  flags: readonly string[],
): Promise<IdentityChain | undefined> {
  const isThere = holdsIdentityChain(folder);
  if (!isThere && !options['identity-chain']) return Promise.resolve(undefined);
  if (!isThere && holdsChain(folder)) {
    const fault = `${folder} holds a chain that trusts no identity chain: leave --identity-chain out, or name another --dir`;
    throw usageError(INVOCATION, [fault]);
  }
  const ports = identityPorts({ basePort: options['network-port'], apiPort: options['api-port'] });
  return openIdentityChain({ folder, ...ports, flags });
}

function identityText(identity: Cluster, { nodes }: Cluster): string {
  const [signIn, target] = [identity.nodes[0]?.url ?? '', nodes[0]?.url ?? ''];
  return [
    '  Sign in on the identity chain, and act on the network with the session alone:',
    `  identity chain  ${signIn}`,
    `  slipstream keys new account --out me.key`,
    `  slipstream session grant --key me.key --service demo --actions setData --target ${target} --url ${signIn}`,
    `  slipstream session use --data colour=blue --url ${target}`,
    '',
  ].join('\n');
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
