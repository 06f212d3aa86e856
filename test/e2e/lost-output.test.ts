/** Output without a reader, or that cannot be written: a validator continues; a command with a lost answer fails. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '@slipstream/checkout';
import { createClient } from '@slipstream/client';
import { eventually, freePortRange, removeFolder, temporaryFolder } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAST_BLOCKS } from './fast-blocks.ts';

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 20_000;
const READER_GONE = '141';
const MAIN = join(root, 'apps/node/bin/main.mjs');
const BOOTSTRAP = join(root, 'scripts/bootstrap.mjs');
/** As a person calls them, in a shell in the test's folder. */
const FUNCTIONS = [
  `slipstream() { ${process.execPath} ${MAIN} "$@"; }`,
  `script() { ${process.execPath} ${BOOTSTRAP} "$@"; }`,
  // Writes its process id to a file.
  `as() { echo $BASHPID > "$1"; exec ${process.execPath} "\${@:2}"; }`,
].join('\n');

let folder: string;
let port: number;

beforeAll(async () => {
  folder = await temporaryFolder();
  port = await freePortRange(2);
  const made = await shell(
    `slipstream init --validators 1 --out chain --network-port ${port} --api-port ${port + 1} && slipstream keys new account --out me.key`,
  );
  expect(made.code, made.stderr).toBe(0);
});

afterAll(() => removeFolder(folder));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Shell {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

function start(script: string): Shell {
  const child = spawn('bash', ['-c', `${FUNCTIONS}\n${script}`], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return {
    process: child,
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr }))),
  };
}

const shell = (script: string): Promise<Ended> => start(script).ended;

const url = () => `http://127.0.0.1:${port + 1}`;

function untilHeightAbove(height: number): Promise<number> {
  return eventually(`a height above ${height}`, START_MS_MAX, async () => {
    const status = await createClient({ url: url() }).status();
    return status.height > height ? status.height : undefined;
  });
}

async function pidIn(file: string): Promise<number> {
  return Number(await readFile(join(folder, file), 'utf8'));
}

const STARTS: readonly (readonly [how: string, program: string])[] = [
  ['started directly', `${MAIN} node`],
  ['started through the bootstrap', `${BOOTSTRAP} slipstream node`],
];

test.each(STARTS)(
  'a validator %s continues when the reader of its output exits, and stops in order',
  async (how, program) => {
    const pidFile = `${how.replaceAll(' ', '-')}.pid`;
    const words = `as ${pidFile} ${program} --home chain/validator-0 --log-level debug ${FAST_BLOCKS.join(' ')}`;
    const { ended } = start(`(${words}) 2>&1 | head -n 1; echo "\${PIPESTATUS[0]}"`);
    const height = await untilHeightAbove(0);
    // By now its log has more lines than the reader took.
    await untilHeightAbove(height + 3);
    process.kill(await pidIn(pidFile), 'SIGTERM');
    const { stdout } = await ended;
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('0');
  },
);

/** Resolves with the alert's message, or with undefined once it is not active. */
function logLost(active: boolean): Promise<string | undefined> {
  return eventually(`the alert log-lost ${active ? 'raised' : 'cleared'}`, START_MS_MAX, async () => {
    const alert = (await createClient({ url: url() }).status()).alerts.find(({ rule }) => rule === 'log-lost');
    return (alert !== undefined) === active ? { message: alert?.message } : undefined;
  }).then(({ message }) => message);
}

async function linesLost(): Promise<number> {
  const metrics = await (await fetch(`${url()}/metrics`)).text();
  return Number(/^slipstream_node_log_lines_lost_total (\d+)$/m.exec(metrics)?.[1]);
}

test('a validator with a full log continues, raises an alert, counts lost lines, and stops in order', async () => {
  const { ended } = start(
    `(as full.pid ${MAIN} node --home chain/validator-0 --log-level debug ${FAST_BLOCKS.join(' ')} 2>/dev/full); echo "$?"`,
  );
  expect(await logLost(true)).toContain('ENOSPC');
  const [height, lost] = [await untilHeightAbove(0), await linesLost()];
  await untilHeightAbove(height + 3);
  await eventually('more lines counted', START_MS_MAX, async () => ((await linesLost()) > lost ? true : undefined));
  process.kill(await pidIn('full.pid'), 'SIGTERM');
  expect((await ended).stdout).toBe('0\n');
});

test('a log that is writable again states the number of lost lines, and the alert is cleared', async () => {
  const node = start(
    `mkfifo log.fifo; head -n 1 log.fifo & as fifo.pid ${MAIN} node --home chain/validator-0 --log-level debug 2>log.fifo`,
  );
  expect(await logLost(true)).toContain('EPIPE');
  expect(await linesLost()).toBeGreaterThan(0);
  const reader = start('cat log.fifo');
  expect(await logLost(false)).toBeUndefined();
  process.kill(await pidIn('fifo.pid'), 'SIGTERM');
  await node.ended;
  const lines = (await reader.ended).stdout.trimEnd().split('\n');
  const said = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg.startsWith('lines of the log were lost'));
  expect(said).toMatchObject({ level: 'error', lines: expect.any(Number), reason: 'write EPIPE' });
  expect(lines.at(-1)).toContain('"msg":"stopped"');
});

const COMMANDS = [
  'slipstream --help',
  'slipstream --version',
  'slipstream keys show me.key',
  'slipstream keys show me.key --json',
  'slipstream keys show no.key --json',
  'slipstream keys list --home chain/validator-0',
  'slipstream completion bash',
  'slipstream node --home chain/validator-0 --print-config',
  'script slipstream --version',
  'script sim --list',
];

test.each(COMMANDS)('"%s" exits with 141 and without output when its standard output is closed', async (command) => {
  const gone = await shell(`(sleep 0.2; ${command} 2>err.txt) | true; echo "\${PIPESTATUS[0]}"; cat err.txt`);
  const [code, ...words] = gone.stdout.trimEnd().split('\n');
  expect(code).toBe(READER_GONE);
  expect(words.filter((line) => !line.includes('cannot read the key file'))).toEqual([]);
});

test.each(COMMANDS)('"%s" exits with 1 and the reason when its standard output is full', async (command) => {
  const full = await shell(`${command} >/dev/full`);
  expect(full.stderr).toContain('the answer could not be written to standard output: ENOSPC');
  expect(full.code).toBe(1);
});

test(
  'a devnet stops in order and exits with 141 when its standard output is closed',
  async () => {
    const base = await freePortRange(3);
    const words = `devnet --dir net --validators 1 --network-port ${base} --api-port ${base + 1} --fleet-port ${base + 2}`;
    const { stdout } = await shell(`script ${words} | head -n 1; echo "\${PIPESTATUS[0]}"`);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(READER_GONE);
    expect(await readFile(join(folder, 'net/validator-0/node.log'), 'utf8')).toMatch(/"msg":"stopped"}\n$/);
  },
  START_MS_MAX + STOP_MS_MAX,
);
