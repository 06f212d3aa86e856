/** Fills the image's compile cache: runs a node with its own chain until it is ready, and stops it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const readyMsMax = 180_000;
const url = 'http://127.0.0.1:8080/readyz';

const home = mkdtempSync(join(tmpdir(), 'compile-'));
const node = spawn('slipstream', ['node', '--dev', '--home', home], { stdio: ['ignore', 'ignore', 'inherit'] });
const ended = once(node, 'exit');
const deadlineMs = performance.now() + readyMsMax;

/** @returns {Promise<boolean>} */
async function isReady() {
  return await fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

while (node.exitCode === null && performance.now() < deadlineMs && !(await isReady())) await sleep(200);
node.kill('SIGTERM');
const [code] = await ended;
rmSync(home, { recursive: true, force: true });
if (code !== 0) throw new Error(`the node ended with ${code} before it was ready, or did not stop in order`);
