/**
 * `hosts`: the network of a bench, or of a trial, on machines that SSH reaches.
 *
 *   hosts up --hosts FILE --dir DIR --> loadgen --nodes URLS --> hosts down --hosts FILE --dir DIR --remove
 */
import { readFile } from 'node:fs/promises';
import {
  count,
  defineCommand,
  type ExitCode,
  flag,
  inFolder,
  required,
  type Terminal,
  text,
  textOr,
  usageError,
} from '@slipstream/command-line';
import { holdsChain, makeChain, readChain } from '@slipstream/devnet';
import { type Host, readHosts } from './host-list.ts';
import { down, type HostsNetwork, reportOf, up } from './network.ts';
import { placeNodes } from './placement.ts';
import { createRemote } from './remote.ts';

const INVOCATION = 'npm run hosts --';
const ACTIONS = ['up', 'status', 'down'] as const;
const PORT_RANGE = [1024, 65_000] as const;

export const hostsCommand = defineCommand({
  name: 'hosts',
  invocation: INVOCATION,
  summary: 'A development network on a list of hosts, over SSH: up, status, down.',
  details:
    'Each host needs an SSH server that takes your key, tar, and Node 18 or newer with npm, python3, make and a C++ compiler for the ' +
    'install. Nodes go to the hosts in turn. Their ports are open to every machine that reaches the hosts: let a firewall admit the hosts and ' +
    'the load generator alone.',
  positionals: [{ name: 'ACTION', about: 'up, status or down.' }],
  options: {
    hosts: required('FILE', 'A line for each host: [USER@]HOST[:PORT] [ADDRESS], ADDRESS for nodes and clients.'),
    dir: required('DIR', 'Folder of the chain here: its genesis and the homes that "up" copies.'),
    validators: count(4, [1, 1_000], 'N', 'Validators of a new chain.'),
    fullnodes: count(1, [0, 1_000], 'N', 'Full nodes of a new chain.'),
    accounts: count(0, [0, 10_000_000], 'N', 'Generated accounts of a new chain, for which the load generator signs.'),
    'network-port': count(9000, PORT_RANGE, 'PORT', 'Of the first node on each host.'),
    'api-port': count(8080, PORT_RANGE, 'PORT', 'Of the first node on each host.'),
    'remote-dir': textOr('slipstream-network', 'DIR', 'Folder of the network on each host.'),
    program: text('DIR', 'An installed checkout on each host. Default: this one is copied and installed.'),
    'ssh-options': text('WORDS', 'Further options of ssh, such as "-i KEY".'),
    remove: flag('down: delete the folder on each host, with keys and data.'),
  },
  example: `${INVOCATION} up --hosts hosts.txt --dir chain --validators 50 --fullnodes 5 --accounts 100000`,
  async run({ options, arguments: [action = ''], terminal }) {
    const hosts = await hostsOf(inFolder(terminal, options.hosts));
    const network = await networkOf(action, hosts, { ...options, dir: inFolder(terminal, options.dir) });
    const say = options.json ? terminal.err : terminal.out;
    if (action === 'down') {
      await down(network, options);
      say(`${network.nodes.length} nodes are stopped${options.remove ? ' and deleted' : ''}`);
      return 0;
    }
    if (action === 'up') await up(network, say);
    return report(network, options, terminal);
  },
});

async function hostsOf(path: string): Promise<readonly Host[]> {
  const read = readHosts(await readFile(path, 'utf8'));
  if (!read.ok) throw usageError(INVOCATION, [`--hosts ${path}: ${read.error}`]);
  return read.value;
}

interface Asked {
  readonly dir: string;
  readonly validators: number;
  readonly fullnodes: number;
  readonly accounts: number;
  readonly 'network-port': number;
  readonly 'api-port': number;
  readonly 'remote-dir': string;
  readonly program: string | undefined;
  readonly 'ssh-options': string | undefined;
}

async function networkOf(action: string, hosts: readonly Host[], asked: Asked): Promise<HostsNetwork> {
  if (!(ACTIONS as readonly string[]).includes(action))
    throw usageError(INVOCATION, [`the action is one of ${ACTIONS.join(', ')}, not "${action}"`]);
  const ports = { networkPort: asked['network-port'], apiPort: asked['api-port'] };
  if (!holdsChain(asked.dir)) {
    if (action !== 'up') throw usageError(INVOCATION, [`--dir ${asked.dir} holds no chain: "up" makes one`]);
    const { validators, fullnodes: fullNodes, accounts } = asked;
    const shape = { validators, fullNodes, basePort: ports.networkPort, apiPort: ports.apiPort };
    await makeChain(asked.dir, { ...shape, generatedAccounts: accounts });
  }
  const sshOptions = asked['ssh-options']?.split(' ').filter((word) => word !== '') ?? [];
  return {
    nodes: placeNodes(await readChain(asked.dir), hosts, ports),
    remotes: hosts.map((host) => createRemote(host, sshOptions)),
    folder: asked['remote-dir'],
    program: asked.program,
  };
}

/** 1: a node is not ready. */
async function report(
  { nodes }: HostsNetwork,
  { json }: { readonly json: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const reports = await Promise.all(nodes.map(reportOf));
  if (json) {
    terminal.out(JSON.stringify({ nodes: reports }));
  } else {
    for (const { name, host, url, height, ready } of reports)
      terminal.out(
        `${name.padEnd(14)} ${host.padEnd(24)} ${url.padEnd(30)} ${ready ? `height ${height}` : 'not ready'}`,
      );
    const urls = nodes.map(({ url }) => url).join(',');
    terminal.out(`\nLoad it: npm run loadgen -- --nodes ${urls} --rate 100 --seconds 60 --report report.html`);
  }
  return reports.every(({ ready }) => ready) ? 0 : 1;
}
