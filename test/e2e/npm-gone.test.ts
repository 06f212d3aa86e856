/** Any end of npm, or of a process that npm started, stops the nodes behind it in order; other nodes do not depend on npm. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '@slipstream/checkout';
import { createClient } from '@slipstream/client';
import { eventually, freePortRange, removeFolder, temporaryFolder } from '@slipstream/devnet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAST_BLOCKS } from './fast-blocks.ts';

const run = promisify(execFile);
const UP_MS_MAX = 60_000;
const GONE_MS_MAX = 30_000;

let folder: string;
let port: number;
/** Every process that a test has seen. */
const seen = new Set<number>();

beforeEach(async () => {
  folder = await temporaryFolder();
  port = await freePortRange(3);
});

afterEach(async () => {
  for (const { pid } of (await processes()).filter((each) => seen.has(each.pid))) process.kill(pid, 'SIGKILL');
  seen.clear();
  await removeFolder(folder);
});

interface Process {
  readonly pid: number;
  readonly parent: number;
}

/** Running processes, without ended ones that are not collected yet. From /proc, because a minimal machine has no `ps`. */
async function processes(): Promise<readonly Process[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
      // State and parent follow the name in parentheses, which may contain anything.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return parent === undefined || state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent) }];
    }),
  );
  return found.flat();
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  return (await processes()).filter(({ parent }) => parent === pid).map((child) => child.pid);
}

async function treeOf(pid: number): Promise<readonly number[]> {
  const below = await Promise.all((await childrenOf(pid)).map(treeOf));
  return [pid, ...below.flat()];
}

/** Runs `npm run NAME -- WORDS` in its own process group, with its output in a file. */
function startNpm(name: string, words: readonly string[]): ChildProcess {
  const output = openSync(join(folder, 'output'), 'w');
  const child = spawn('npm', ['run', '-s', name, '--', ...words], {
    cwd: root,
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  seen.add(child.pid ?? 0);
  return child;
}

const heightAt = async (api: number) => (await createClient({ url: `http://127.0.0.1:${api}` }).status()).height;

function untilHeight(api: number, height: number): Promise<true> {
  return eventually(`height ${height}`, UP_MS_MAX, async () => ((await heightAt(api)) >= height ? true : undefined));
}

interface Started {
  readonly npm: number;
  readonly bootstrap: number;
}

type End = readonly [how: string, end: (started: Started) => void];

const TERM: End = ['SIGTERM to npm', ({ npm }) => process.kill(npm, 'SIGTERM')];

const ENDS: readonly End[] = [
  TERM,
  ['SIGINT to npm', ({ npm }) => process.kill(npm, 'SIGINT')],
  ['SIGHUP to npm', ({ npm }) => process.kill(npm, 'SIGHUP')],
  // As Ctrl-C in a terminal.
  ['SIGINT to the group of npm', ({ npm }) => process.kill(-npm, 'SIGINT')],
];

/** Ends without a signal to the nodes, and ends that signal each process more than once. */
const HARD_ENDS: readonly End[] = [
  ['SIGKILL of npm', ({ npm }) => process.kill(npm, 'SIGKILL')],
  ['SIGKILL of the bootstrap', ({ bootstrap }) => process.kill(bootstrap, 'SIGKILL')],
  // As a closing terminal.
  ['SIGHUP to the group of npm', ({ npm }) => process.kill(-npm, 'SIGHUP')],
];

async function endAndWait(child: ChildProcess, end: (started: Started) => void): Promise<void> {
  const npm = child.pid as number;
  const [bootstrap] = await childrenOf(npm);
  const tree = await treeOf(npm);
  for (const pid of tree) seen.add(pid);
  expect(tree.length).toBeGreaterThanOrEqual(3);
  end({ npm, bootstrap: bootstrap as number });
  await eventually('all are gone', GONE_MS_MAX, async () => {
    const left = (await processes()).filter(({ pid }) => tree.includes(pid));
    return left.length === 0 ? true : undefined;
  });
}

test.each([...ENDS, ...HARD_ENDS])('%s ends "npm run node" in order', async (_how, end) => {
  const home = ['--home', join(folder, 'dev'), '--api-port', `${port}`, '--network-listen', '127.0.0.1:0'];
  const npm = startNpm('node', [...home, '--log-level', 'info']);
  await untilHeight(port, 1);
  await endAndWait(npm, end);
  expect(await readFile(join(folder, 'output'), 'utf8')).toMatch(/ info {2}stopped\n$/);
});

test.each([TERM, ...HARD_ENDS])('%s ends "npm run devnet" in order, its nodes too', async (_how, end) => {
  const ports = ['--network-port', `${port}`, '--api-port', `${port + 1}`, '--fleet-port', `${port + 2}`];
  const npm = startNpm('devnet', ['--dir', join(folder, 'net'), '--validators', '1', ...ports]);
  await untilHeight(port + 1, 1);
  await endAndWait(npm, end);
  expect(await readFile(join(folder, 'net/validator-0/node.log'), 'utf8')).toMatch(/"msg":"stopped"}\n$/);
});

const DIRECT: readonly (readonly [name: string, program: string])[] = [
  ['the program', 'apps/node/bin/main.mjs'],
  ['the bootstrap', 'scripts/bootstrap.mjs'],
];

test.each(DIRECT)(
  'a node started by a shell as %s continues without the shell, and SIGHUP stops it in order',
  async (_name, file) => {
    const words = [
      'node',
      '--dev',
      '--home',
      join(folder, 'dev'),
      '--api-port',
      `${port}`,
      '--network-listen',
      '127.0.0.1:0',
      ...FAST_BLOCKS,
    ];
    const program = [
      process.execPath,
      join(root, file),
      ...(file.includes('bootstrap') ? ['slipstream'] : []),
      ...words,
    ];
    // Variables of another script that npm runs do not count as npm.
    const env = {
      ...process.env,
      npm_lifecycle_event: 'test',
      npm_lifecycle_script: 'exec node scripts/bootstrap.mjs test',
    };
    const script = '"$@" --log-level info >output 2>&1 & echo $!';
    const { stdout } = await run('bash', ['-c', script, 'bash', ...program], { cwd: folder, env });
    const pid = Number(stdout);
    seen.add(pid);
    await untilHeight(port, 1);
    for (const each of await treeOf(pid)) seen.add(each);
    await untilHeight(port, (await heightAt(port)) + 3);
    process.kill(pid, 'SIGHUP');
    await eventually('all are gone', GONE_MS_MAX, async () =>
      (await processes()).some((each) => seen.has(each.pid)) ? undefined : true,
    );
    expect(await readFile(join(folder, 'output'), 'utf8')).toMatch(/ info {2}stopped\n$/);
  },
);
