/** A newcomer's first steps: `npm run node`, the curl line, an offline check of the proof. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '@slipstream/checkout';
import { eventually, freePortRange, removeFolder, temporaryFolder } from '@slipstream/devnet';
import type { TransactionView } from '@slipstream/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../apps/node/src/cli/run.ts';
import { capturedTerminal } from '../../packages/command-line/test/captured-terminal.ts';

const run = promisify(execFile);
let folder: string;
let url: string;
let started: Started;
let answerText: string;
let answer: TransactionView;

interface Started {
  readonly process: ChildProcess;
  output(): string;
}

beforeAll(async () => {
  folder = await temporaryFolder();
  const port = await freePortRange(1);
  url = `http://127.0.0.1:${port}`;
  started = startDevelopmentNode(port);
  const curl = await curlLine(started);
  answerText = (await run('bash', ['-c', curl])).stdout;
  answer = JSON.parse(answerText);
  await writeFile(join(folder, 'answer.json'), answerText);
});

afterAll(async () => {
  if (started !== undefined) await stopped(started.process);
  await removeFolder(folder);
});

/** As `npm run node`, in a separate folder. */
function startDevelopmentNode(port: number): Started {
  const child = spawn(process.execPath, [join(root, 'scripts/bootstrap.mjs'), 'node', '--api-port', String(port)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return { process: child, output: () => output };
}

function curlLine({ output }: Started): Promise<string> {
  return eventually('a curl line in the banner', 120_000, async () =>
    output()
      .split('\n')
      .slice(0, -1)
      .find((line) => line.startsWith('curl')),
  );
}

async function stopped(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  return ended;
}

const genesisFile = () => join(folder, '.slipstream/dev/genesis.json');

/** Runs in this process; returns the exit code and the output. */
async function verify(proof: string): Promise<{ readonly code: number; readonly said: string }> {
  const terminal = capturedTerminal(folder);
  const code = await runCommandLine(['tx', 'verify-proof', proof, '--genesis', genesisFile()], terminal);
  return { code, said: terminal.outLines.join('\n') };
}

test('the banner names the console and a funded key, with their purpose', () => {
  const output = started.output();
  expect(output).toContain(`Console     ${url}`);
  expect(output).toMatch(/development only/);
  expect(output).toMatch(/secret {4}0x[0-9a-f]{64}/);
});

test('the pasted curl line answers with a final receipt and its proof', () => {
  expect(answer.status).toBe('final');
  expect(answer.receipt?.status).toBe('final');
  expect(answer.proof?.ssz).toMatch(/^0x[0-9a-f]+$/);
});

test('the command line verifies that response with the genesis file alone, in each of its forms', async () => {
  const { stdout } = await run(process.execPath, [
    join(root, 'scripts/bootstrap.mjs'),
    'slipstream',
    'tx',
    'verify-proof',
    join(folder, 'answer.json'),
    '--genesis',
    genesisFile(),
  ]);
  expect(stdout).toContain('VERIFIED');
  const route = await (await fetch(`${url}/v1/transactions/${answer.id}/proof`)).text();
  await writeFile(join(folder, 'proof.json'), route);
  expect(await verify('proof.json')).toMatchObject({ code: 0 });
  expect(await verify(answer.proof?.ssz ?? '')).toMatchObject({ code: 0 });
});

test('a proof with a bit changed in any byte is refused, with the failed step', async () => {
  const bytes = Buffer.from((answer.proof?.ssz ?? '0x').slice(2), 'hex');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 8)), at);
    const { code, said } = await verify(`0x${changed.toString('hex')}`);
    expect({ at, code }).toEqual({ at, code: 1 });
    expect(said).toMatch(/REFUSED at step (form|epochs|receipt|digests|certificate|quorum|signature): /);
  }
});

test('a response with a changed word in its readable part is refused', async () => {
  const forged = answerText.replace('"status":"success"', '"status":"successful"');
  expect(forged).not.toBe(answerText);
  await writeFile(join(folder, 'forged.json'), forged);
  expect(await verify('forged.json')).toMatchObject({ code: 1 });
});

test('one Ctrl-C stops it cleanly, and the next start continues the chain', async () => {
  expect(await stopped(started.process)).toBe(0);
  started = startDevelopmentNode(Number(new URL(url).port));
  await curlLine(started);
  const kept = await (await fetch(`${url}/v1/transactions/${answer.id}`)).json();
  expect(kept).toMatchObject({ id: answer.id, status: 'final' });
});
