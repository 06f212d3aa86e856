/**
 * One node as a child process of the pinned Node, with its log in a file.
 *
 *   stopped --start--> running --stop (SIGTERM) or kill (SIGKILL)--> stopped
 *                         \--unexpectedly--> stopped, onDeath
 *
 * A node stops when its channel to this process closes, so none outlives this process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileCache, nodeFlags, pinnedNode, root } from '@slipstream/checkout';
import type { FaultMessage, Faults } from '@slipstream/node-home';
import { endWithProcess } from './end-with-process.ts';
import { pauseProcess, slowProcess } from './pause.ts';

interface NodeProcessOptions {
  readonly name: string;
  readonly home: string;
  /** Appended to `node --home HOME`. */
  readonly flags: readonly string[];
  /** Options of Node itself. */
  readonly runtimeFlags?: readonly string[];
  readonly faults?: Faults;
}

export interface Death {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface NodeProcess {
  readonly pid: number | undefined;
  readonly running: boolean;
  readonly restarts: number;
  readonly logFile: string;
  /** Stopped by SIGSTOP: its connections stay open. True most of the time while slowed down. */
  readonly paused: boolean;
  /** Set again at its next start. */
  readonly faults: Faults;
  start(): void;
  pause(): void;
  /** Runs at a tenth of its speed until it resumes. Also ends a pause. */
  slowDown(): void;
  resume(): void;
  setFaults(faults: Faults): void;
  /** Resolves when the process is gone. Idempotent. */
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** Called when the process ends without stop or kill. */
  onDeath(listener: (death: Death) => void): void;
  /** Lines of severity error and fatal since its first start here. */
  errors(): Promise<readonly string[]>;
}

const NO_FAULTS: Faults = { corruptSignatures: false, cutPeers: [] };

/** A node that has not stopped by then is killed. */
const STOP_MS_MAX = 20_000;

export function createNodeProcess({ name, home, flags, runtimeFlags = [], ...given }: NodeProcessOptions): NodeProcess {
  const logFile = join(home, 'node.log');
  const listeners: ((death: Death) => void)[] = [];
  let child: ChildProcess | undefined;
  let ended: Promise<void> = Promise.resolve();
  let starts = 0;
  let expected = false;
  let logStart = 0;
  let resumeProcess: (() => void) | undefined;
  let faults: Faults = given.faults ?? NO_FAULTS;

  function start(): void {
    if (child !== undefined) throw new Error(`${name} runs already`);
    const node = pinnedNode(root);
    if (node === undefined) throw new Error('the pinned Node is not installed: run "npm run setup"');
    const log = openSync(logFile, 'a');
    if (starts === 0) logStart = sizeOf(log);
    starts += 1;
    expected = false;
    const program = [join(root, 'apps/node/bin/main.mjs'), 'node', '--home', home];
    const started = spawn(node, [...nodeFlags, ...runtimeFlags, ...program, ...flags], {
      // In its own process group: Ctrl-C reaches only the script, which stops the nodes in order.
      detached: true,
      stdio: ['ignore', 'ignore', log, 'ipc'],
      env: ownEnvironment(),
    });
    closeSync(log);
    started.channel?.unref();
    child = started;
    sendFaults();
    const forget = endWithProcess(started);
    ended = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null) => {
        if (child !== started) return;
        child = undefined;
        resumeProcess?.();
        resumeProcess = undefined;
        forget();
        resolve();
        if (!expected) for (const listener of listeners) listener({ code, signal });
      };
      started.once('exit', end);
      started.once('error', () => end(null, null));
    });
  }

  /** The channel queues the message until the node listens. */
  function sendFaults(): void {
    if (child?.connected !== true) return;
    const message: FaultMessage = { type: 'faults', faults };
    child.send(message, () => {}); // an ended process gets the message at its next start
  }

  function resume(): void {
    resumeProcess?.();
    resumeProcess = undefined;
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    expected = true;
    resume();
    child?.kill(signal);
    const timer = setTimeout(() => child?.kill('SIGKILL'), STOP_MS_MAX);
    await ended;
    clearTimeout(timer);
  }

  return {
    get pid() {
      return child?.pid;
    },
    get running() {
      return child !== undefined;
    },
    get restarts() {
      return Math.max(0, starts - 1);
    },
    get paused() {
      return resumeProcess !== undefined;
    },
    get faults() {
      return faults;
    },
    logFile,
    start,
    pause() {
      if (child?.pid !== undefined) resumeProcess ??= pauseProcess(child.pid);
    },
    slowDown() {
      resume();
      if (child?.pid !== undefined) resumeProcess = slowProcess(child.pid);
    },
    resume,
    setFaults(wanted) {
      faults = wanted;
      sendFaults();
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    onDeath: (listener) => void listeners.push(listener),
    async errors() {
      const text = (await readFile(logFile)).subarray(logStart).toString('utf8');
      return text
        .split('\n')
        .filter((line) => /^\{"level":"(error|fatal)"/.test(line) || line.startsWith('slipstream:'));
    },
  };
}

/** SLIPSTREAM_ variables of this shell are for a node that a person runs. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([key]) => !key.startsWith('SLIPSTREAM_'));
  return { ...Object.fromEntries(own), ...compileCache(root) };
}

function sizeOf(descriptor: number): number {
  return fstatSync(descriptor).size;
}
