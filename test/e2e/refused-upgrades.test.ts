/** A real node closes the socket of each upgrade that it refuses, whatever the route and the reason, and stops in order afterwards. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { root } from '@slipstream/checkout';
import { eventually, freePortRange, removeFolder, temporaryFolder } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';

const KEY = Buffer.from('sixteen bytes ok').toString('base64');
const UP_MS_MAX = 60_000;
/** A stop that waited for a socket took 30 s. */
const STOP_MS_MAX = 20_000;
const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${KEY}`];
/** Routes without a stream, streams that refuse, a page, and what nothing serves. */
const REFUSED: readonly (readonly [name: string, path: string, headers: readonly string[]])[] = [
  ['a route without a stream', '/v1/status', UPGRADE],
  ['a route without a stream, by a bare upgrade', '/v1/status', ['Connection: Upgrade', 'Upgrade: websocket']],
  ['a route for posts', '/v1/transactions', UPGRADE],
  ['metrics', '/metrics', UPGRADE],
  ['the console', '/', UPGRADE],
  ['a path that nothing serves', '/v1/nothing', UPGRADE],
  ['the events, from another origin', '/v1/stream', [...UPGRADE, 'Origin: https://elsewhere.example']],
  ['the events, without a key', '/v1/stream', ['Connection: Upgrade', 'Upgrade: websocket']],
];
/** As a flood: each client leaves without closing its side first. */
const EACH = 10;

let folder: string;
let port: number;
let node: ChildProcess;
/** Remote addresses of what the node's own parts opened. */
let own: readonly string[];
let exited: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;

beforeAll(async () => {
  folder = await temporaryFolder();
  port = await freePortRange(1);
  const words = ['node', '--dev', '--home', join(folder, 'dev'), '--api-port', `${port}`];
  const output = openSync(join(folder, 'output'), 'w');
  node = spawn(
    process.execPath,
    [join(root, 'apps/node/bin/main.mjs'), ...words, '--network-listen', '127.0.0.1:0', '--log-level', 'info'],
    { stdio: ['ignore', output, output] },
  );
  closeSync(output);
  exited = new Promise((resolve) => node.once('exit', (code, signal) => resolve([code, signal])));
  await eventually('it is ready', UP_MS_MAX, async () => ((await statusOf('/readyz')) === 200 ? true : undefined));
  own = await openSockets();
});

afterAll(async () => {
  if (node?.exitCode === null) node.kill('SIGKILL');
  await removeFolder(folder);
});

/** Over a connection of its own, which it closes. */
function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get({ port, path, agent: false, headers: { Connection: 'close' } }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode));
    });
    request.once('error', reject);
  });
}

/** Asks, and keeps its own side open until the node closes. Resolves with the status line. */
function refusal(path: string, headers: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, allowHalfOpen: true });
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
    socket.once('error', reject).once('end', () => {
      socket.destroy();
      resolve(answer.split('\r\n', 1)[0] ?? '');
    });
    socket.write([`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, '', ''].join('\r\n'));
  });
}

const LISTENS = '0A';
const CLOSED = '0'; // no inode: the process has closed it

/** Remote addresses at the API's port, in whatever state, as long as a process holds the socket. */
async function openSockets(): Promise<readonly string[]> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${node.pid}/net/${name}`, 'latin1').catch(() => '')),
  );
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address, , state]) => address?.endsWith(local) && state !== LISTENS)
    .filter(({ 9: inode }) => inode !== CLOSED)
    .map(([, , remote]) => remote ?? '');
}

test.each(REFUSED)('an upgrade of %s is refused, and its socket closed', async (_name, path, headers) => {
  const answers = await Promise.all(Array.from({ length: EACH }, () => refusal(path, headers)));
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 (?!101)\d{3} /);
});

test('afterwards no socket is left, others are served, and SIGTERM stops the node in order', async () => {
  await eventually('no socket is left', STOP_MS_MAX, async () =>
    (await openSockets()).every((remote) => own.includes(remote)) ? true : undefined,
  );
  expect(await statusOf('/v1/status')).toBe(200);
  node.kill('SIGTERM');
  const late = setTimeout(() => node.kill('SIGKILL'), STOP_MS_MAX);
  expect(await exited).toEqual([0, null]);
  clearTimeout(late);
  expect(await readFile(join(folder, 'output'), 'utf8')).toMatch(/ info {2}stopped\n$/);
});
