/**
 * Fuzzes the REST interface of a development node with schemathesis: all its default checks, every operation.
 *
 *   npm run fuzz:api [-- --max-examples 50]         arguments go to schemathesis; some four minutes
 *   npm run fuzz:api -- --smoke                     for CI, half a minute: without the limits of every parameter one by one
 *
 * The node has a new temporary folder and ends with the run; schemathesis is installed into the checkout.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '@slipstream/checkout';
import { pythonProgram } from './checks/tools.ts';
import { endWithStarter } from './end-with-starter.ts';
import { print, warn } from './print.ts';

const REQUIREMENT = 'schemathesis==4.32.5';
const EXAMPLES_DEFAULT = '50';
/** Without the coverage phase, which takes most of the time. */
const SMOKE = ['--phases', 'examples,fuzzing,stateful', '--max-examples', '10'];
const READY_MS_MAX = 60_000;
/** Above the longest wait of a request. */
const ANSWER_S_MAX = '70';
/** Streams never end, or need a WebSocket (packages/api/test covers them); drain ends the node. */
const LEFT_OUT = '(/stream|/v1/events|/v1/admin/drain)$';

endWithStarter();
const program = await pythonProgram('schemathesis', REQUIREMENT);
const home = await mkdtemp(join(tmpdir(), 'slipstream-fuzz-'));
const node = startNode();
try {
  const url = await node.url;
  const token = (await readFile(join(home, 'validator-0', 'keys', 'admin.token'), 'utf8')).trim();
  process.exitCode = await fuzz(url, token);
  const { status } = await fetch(`${url}/healthz`);
  print(`\nthe node after it: /healthz ${status}, ${node.faults()} faults in its log`);
  if (status !== 200 || node.faults() > 0) process.exitCode = 1;
} finally {
  node.child.kill('SIGTERM');
  await node.ended;
  await rm(home, { recursive: true, force: true });
}

function startNode() {
  const words = ['node', '--dev', '--home', home, '--api-port', '0', '--network-listen', '127.0.0.1:0', '--json'];
  const child = spawn(process.execPath, [join(root, 'apps/node/bin/main.mjs'), ...words], {
    // By the channel it stops when this script is gone.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  let faults = 0;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = text
      .split('\n')
      .filter((line) => line.includes('"level":"error"') || line.includes('"level":"fatal"'));
    faults += lines.length;
    for (const line of lines) warn(line);
  });
  const url = new Promise<string>((found, failed) => {
    const late = setTimeout(() => failed(new Error(`the node is not up after ${READY_MS_MAX} ms`)), READY_MS_MAX);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const [line] = text.split('\n').filter((each) => each.startsWith('{"name"'));
      if (line === undefined) return;
      clearTimeout(late);
      found((JSON.parse(line) as { readonly api: string }).api);
    });
  });
  return { child, ended, url, faults: () => faults };
}

function fuzz(url: string, token: string): Promise<number> {
  const given = process.argv.slice(2).filter((word) => word !== '--smoke');
  const isSmoke = process.argv.includes('--smoke');
  const words = ['--config-file', join(root, 'scripts', 'fuzz-api.toml'), 'run', `${url}/openapi.json`];
  const fixed = [
    '--exclude-path-regex',
    LEFT_OUT,
    '--header',
    `Authorization: Bearer ${token}`,
    '--continue-on-failure',
    '--request-timeout',
    ANSWER_S_MAX,
  ];
  const usual = given.includes('--max-examples') ? [] : ['--max-examples', EXAMPLES_DEFAULT];
  const examples = isSmoke ? SMOKE : usual;
  const child = spawn(program, [...words, ...fixed, ...examples, ...given], { stdio: 'inherit', cwd: home });
  return new Promise((done) => child.once('close', (code) => done(code ?? 1)));
}
