/**
 * A network on hosts.
 *
 *   chain here --up--> program, homes (once) --> processes --> ready --down--> stopped (and deleted)
 *
 * A home is copied only to a host that does not have it: one that ran holds the validator's signing history.
 */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nodeFlags, root } from '@slipstream/checkout';
import { createClient } from '@slipstream/client';
import { DevnetError } from '@slipstream/devnet';
import type { PlacedNode } from './placement.ts';
import { quote, type Remote } from './remote.ts';

export interface HostsNetwork {
  readonly nodes: readonly PlacedNode[];
  /** One for each host. */
  readonly remotes: readonly Remote[];
  /** On every host, absolute or below the login folder: homes, logs, and the program unless it is elsewhere. */
  readonly folder: string;
  /** On every host: an installed checkout. Undefined: `up` copies this one and installs it. */
  readonly program: string | undefined;
}

export interface NodeReport {
  readonly name: string;
  readonly host: string;
  readonly url: string;
  /** Null: its API does not answer. */
  readonly height: number | null;
  readonly ready: boolean;
}

const READY_MS_MAX = 300_000;
const READY_POLL_MS = 500;
const STOP_SECONDS_MAX = 30;
const LOG_LINES_SHOWN = 5;

export async function up(network: HostsNetwork, say: (text: string) => void): Promise<void> {
  if (network.program === undefined) {
    say(`Copying the program to ${network.remotes.length} hosts and installing it ...`);
    await Promise.all(network.remotes.map((remote) => install(network, remote)));
  }
  say(`Starting ${network.nodes.length} nodes ...`);
  await Promise.all(network.nodes.map((node) => start(network, node)));
  await Promise.all(network.nodes.map((node) => untilReady(network, node)));
}

async function install({ folder }: HostsNetwork, remote: Remote): Promise<void> {
  const { stdout } = await promisify(execFile)('git', ['ls-files'], { cwd: root, maxBuffer: 64 << 20 });
  const target = join(folder, 'program');
  await remote.send({ from: root, paths: stdout.split('\n').filter((path) => path !== '') }, target);
  await remote.run(`cd ${quote(target)} && node scripts/bootstrap.mjs setup`);
}

async function start(network: HostsNetwork, node: PlacedNode): Promise<void> {
  const remote = remoteOf(network, node);
  const home = homeOf(network, node);
  const there = await remote.run(`test -e ${quote(home)}/config.yaml && echo yes || echo no`);
  if (there.trim() === 'no') await remote.send({ from: node.home, paths: await readdir(node.home) }, home);
  const program = network.program ?? join(network.folder, 'program');
  const words = [
    join(program, 'node_modules/node/bin/node'),
    ...nodeFlags,
    ...[join(program, 'apps/node/bin/main.mjs'), 'node', '--home', home],
    ...node.flags,
  ];
  const command = words.map(quote).join(' ');
  const at = quote(home);
  // A second start of a running node would fail at its lock.
  await remote.run(
    `if test -e ${at}/node.pid && kill -0 "$(cat ${at}/node.pid)" 2>/dev/null; then exit 0; fi; ` +
      `setsid nohup ${command} >>${at}/node.log 2>&1 </dev/null & echo $! >${at}/node.pid`,
  );
}

async function untilReady(network: HostsNetwork, node: PlacedNode): Promise<void> {
  const endMs = Date.now() + READY_MS_MAX;
  while (!(await reportOf(node)).ready) {
    const remote = remoteOf(network, node);
    const home = quote(homeOf(network, node));
    const isRunning = await remote.run(`kill -0 "$(cat ${home}/node.pid)" 2>/dev/null && echo yes || echo no`);
    if (isRunning.trim() === 'no' || Date.now() > endMs) {
      const log = await remote.run(`tail -n ${LOG_LINES_SHOWN} ${home}/node.log`);
      throw new DevnetError('node-failed', `${node.name} on ${node.host.destination} is not ready:\n${log}`);
    }
    await sleep(READY_POLL_MS);
  }
}

export async function reportOf({ name, host, url }: PlacedNode): Promise<NodeReport> {
  const about = { name, host: host.destination, url };
  try {
    const { height, ready } = await createClient({ url }).status();
    return { ...about, height, ready };
  } catch {
    return { ...about, height: null, ready: false };
  }
}

/** SIGTERM, and SIGKILL to what has not ended in time. `remove`: deletes the network's folder on each host, with its keys. */
export async function down(network: HostsNetwork, { remove }: { readonly remove: boolean }): Promise<void> {
  await Promise.all(network.nodes.map((node) => stop(network, node)));
  if (remove) await Promise.all(network.remotes.map((remote) => remote.run(`rm -rf ${quote(network.folder)}`)));
}

async function stop(network: HostsNetwork, node: PlacedNode): Promise<void> {
  const home = quote(homeOf(network, node));
  await remoteOf(network, node).run(
    `test -e ${home}/node.pid || exit 0; pid=$(cat ${home}/node.pid); kill -TERM "$pid" 2>/dev/null; ` +
      `for i in $(seq ${STOP_SECONDS_MAX * 10}); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done; ` +
      `kill -KILL "$pid" 2>/dev/null; rm -f ${home}/node.pid`,
  );
}

function homeOf({ folder }: HostsNetwork, { name }: PlacedNode): string {
  return join(folder, name);
}

function remoteOf({ remotes }: HostsNetwork, { host }: PlacedNode): Remote {
  const remote = remotes.find((each) => each.host === host);
  if (remote === undefined) throw new Error(`no host of ${host.destination}`);
  return remote;
}
