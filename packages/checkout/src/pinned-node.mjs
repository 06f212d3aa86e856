/**
 * Runs a program on the Node that the lock file pins, as if it had been started directly: same terminal, same working folder, forwarded
 * signals, same exit code or killing signal.
 *
 * A channel to the program closes when this process ends, in any way: then the program knows that no more signals are forwarded.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

/**
 * The first flag silences warnings about experimental features. The second bounds the young generation of each thread: V8's default is
 * four times as large, which costs memory under load and saves no processor time (docs/performance/throughput.md). The Dockerfile uses
 * the same flags.
 */
export const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=16'];

const passedSignals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * The pinned Node's executable; it exists after an install with install scripts allowed.
 * @param {string} root the repository
 */
export function pinnedNode(root) {
  const names = ['node_modules/node/bin/node', 'node_modules/node/bin/node.exe'];
  return names.map((name) => join(root, name)).find((path) => existsSync(path));
}

/**
 * Environment with a compile cache, which shortens a node's start.
 * @param {string} root the repository
 */
export function compileCache(root) {
  return { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/slipstream') };
}

/**
 * @param {{ root: string, file: string, args: string[], cwd?: string }} program
 * @returns {Promise<number>} its exit code; 128 plus the number of the signal that ended it
 */
export function runPinned({ root, file, args, cwd }) {
  const node = pinnedNode(root);
  if (node === undefined) {
    throw new Error(
      'the pinned Node (node_modules/node/bin/node) is missing: npm ran no install scripts. ' +
        'Allow them ("npm config set ignore-scripts false"), delete node_modules, and run this again.',
    );
  }
  return new Promise((resolve, reject) => {
    const child = spawn(node, [...nodeFlags, file, ...args], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      cwd: cwd ?? process.cwd(),
      env: { ...process.env, ...compileCache(root) },
    });
    const release = passSignals(child);
    child.once('error', (error) => {
      release();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      release();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

/**
 * Forwards termination signals to the child instead of ending. A terminal sends Ctrl-C to the whole process group, including the
 * child, so there it is only ignored: forwarded, it would reach the child twice.
 * @param {import('node:child_process').ChildProcess} child
 */
function passSignals(child) {
  const terminal = process.stdin.isTTY === true;
  const handlers = passedSignals.map((signal) => {
    const handler = () => {
      if (!(terminal && signal === 'SIGINT')) child.kill(signal);
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  return () => {
    for (const { signal, handler } of handlers) process.off(signal, handler);
  };
}
