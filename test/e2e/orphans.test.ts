import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, removeFolder, temporaryFolder } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';

const GONE_MS_MAX = 60_000;

let folder: string;
let runner: ChildProcess;
let pids: readonly number[];

beforeAll(async () => {
  folder = await temporaryFolder();
  const program = join(import.meta.dirname, 'orphans', 'runner.ts');
  const started = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  runner = started;
  const [line] = await once(started.stdout.setEncoding('utf8'), 'data');
  pids = JSON.parse(line);
});

afterAll(async () => {
  runner?.kill('SIGKILL');
  for (const pid of pids?.filter(isThere) ?? []) process.kill(pid, 'SIGKILL');
  await removeFolder(folder);
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('the nodes of a killed runner stop in order, also paused ones', async () => {
  expect(pids).toHaveLength(3);
  expect(pids.filter(isThere)).toEqual(pids);
  runner.kill('SIGKILL');
  await eventually('all nodes are gone', GONE_MS_MAX, async () => (pids.some(isThere) ? undefined : true));
  for (const name of ['validator-0', 'validator-1', 'validator-2']) {
    const log = await readFile(join(folder, name, 'node.log'), 'utf8');
    expect(log).toContain('"msg":"stopped"');
  }
});
