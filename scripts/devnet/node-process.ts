/**
 * One node as a child process: the pinned Node running the command line on the node's folder, its log in a file.
 *
 *   stopped --start--> running --stop (SIGTERM) or kill (SIGKILL)--> stopped
 *                         \--by itself or by another's hand--> stopped, onDeath
 *
 * None outlives this process: a node whose channel to it closes stops by itself, however this process ended.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FaultMessage, Faults } from '../../apps/node/src/assembly/faults.ts';
import { compileCache, nodeFlags, pinnedNode } from '../bootstrap/pinned-node.mjs';
import { endWithUs } from './end-with-us.ts';
import { pauseProcess, slowProcess } from './pause.ts';
import { root } from './root.ts';

export interface NodeProcessOptions {
  readonly name: string;
  readonly home: string;
  /** Appended to `node --home HOME`. */
  readonly flags: readonly string[];
  /** Before the program: options of Node itself. */
  readonly runtimeFlags?: readonly string[];
  /** From its start on. */
  readonly faults?: Faults;
}

export interface Death {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface NodeProcess {
  readonly pid: number | undefined;
  readonly running: boolean;
  /** Starts after the first. */
  readonly restarts: number;
  readonly logFile: string;
  /** Stopped by SIGSTOP: it keeps its connections and says nothing. In slow motion it is so for most of the time. */
  readonly paused: boolean;
  /** The faults that it is asked for, also at its next start. */
  readonly faults: Faults;
  start(): void;
  pause(): void;
  /** Until it resumes it runs at a tenth of its speed: always behind, and able to say so. Also ends a pause. */
  slowDown(): void;
  resume(): void;
  setFaults(faults: Faults): void;
  /** Resolves when the process is gone. Idempotent. */
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** It ended though neither stop nor kill was called. */
  onDeath(listener: (death: Death) => void): void;
  /** Lines of severity error and fatal that it logged since its first start here. */
  errors(): Promise<readonly string[]>;
}

const NO_FAULTS: Faults = { corruptSignatures: false, cutPeers: [] };

/** A node that does not stop by itself is killed. */
const STOP_MS_MAX = 20_000;

export function createNodeProcess({ name, home, flags, runtimeFlags = [], ...asked }: NodeProcessOptions): NodeProcess {
  const logFile = join(home, 'node.log');
  const listeners: ((death: Death) => void)[] = [];
  let child: ChildProcess | undefined;
  let ended: Promise<void> = Promise.resolve();
  let starts = 0;
  let expected = false;
  let logStart = 0;
  let goOn: (() => void) | undefined;
  let faults: Faults = asked.faults ?? NO_FAULTS;

  function start(): void {
    if (child !== undefined) throw new Error(`${name} runs already`);
    const node = pinnedNode(root);
    if (node === undefined) throw new Error('the pinned Node is not installed: run "npm run setup"');
    const log = openSync(logFile, 'a');
    if (starts === 0) logStart = sizeOf(log);
    starts += 1;
    expected = false;
    const program = [join(root, 'apps/node/src/main.ts'), 'node', '--home', home];
    const started = spawn(node, [...nodeFlags, ...runtimeFlags, ...program, ...flags], {
      // A group of its own: Ctrl-C in the terminal reaches the network's script alone, which stops the nodes in order.
      detached: true,
      stdio: ['ignore', 'ignore', log, 'ipc'],
      env: ownEnvironment(),
    });
    closeSync(log);
    started.channel?.unref();
    child = started;
    tellFaults();
    const forget = endWithUs(started);
    ended = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null) => {
        if (child !== started) return;
        child = undefined;
        goOn?.();
        goOn = undefined;
        forget();
        resolve();
        if (!expected) for (const listener of listeners) listener({ code, signal });
      };
      started.once('exit', end);
      started.once('error', () => end(null, null));
    });
  }

  /** Before the node listens, the channel keeps the message for it. */
  function tellFaults(): void {
    if (child?.connected !== true) return;
    const message: FaultMessage = { type: 'faults', faults };
    child.send(message, () => {}); // one that has ended is told at its next start
  }

  function resume(): void {
    goOn?.();
    goOn = undefined;
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
      return goOn !== undefined;
    },
    get faults() {
      return faults;
    },
    logFile,
    start,
    pause() {
      if (child?.pid !== undefined) goOn ??= pauseProcess(child.pid);
    },
    slowDown() {
      resume();
      if (child?.pid !== undefined) goOn = slowProcess(child.pid);
    },
    resume,
    setFaults(wanted) {
      faults = wanted;
      tellFaults();
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

/** Settings of this shell are for the node that a person runs, not for each of a network. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([key]) => !key.startsWith('SLIPSTREAM_'));
  return { ...Object.fromEntries(own), ...compileCache(root) };
}

function sizeOf(descriptor: number): number {
  return fstatSync(descriptor).size;
}
