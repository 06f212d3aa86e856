/** Runs cases in a worker, which is replaced after a case that ends it or never ends: both are faults. */
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlayedCase } from './cases.ts';
import type { Kind } from './stores.ts';
import type { Verdict } from './verdict.ts';
import type { Orders, Report } from './worker.ts';

export interface RunSetting {
  readonly seed: string;
  readonly home?: string | undefined;
  readonly only?: Kind | undefined;
  readonly first: number;
  readonly count: number;
  /** In place of the worker. */
  readonly worker?: URL;
}

export interface RunCase extends Omit<PlayedCase, 'kind'> {
  readonly number: number;
  /** Undefined: it ended its worker. */
  readonly kind: Kind | undefined;
}

/** Longest time without a message. A case takes milliseconds, the folder seconds, on a busy machine far longer. */
const SILENCE_MS_MAX = 60_000;
/** That time is counted in ticks, so that a suspended machine counts as one. */
const TICK_MS = 5_000;
const HEAP_MEGABYTES = 512;

const WORKER = new URL('./worker.ts', import.meta.url);

/** Reports each case in order. */
export async function runCases(setting: RunSetting, onCase: (played: RunCase) => void): Promise<void> {
  const end = setting.first + setting.count;
  for (let next = setting.first; next < end; ) {
    const scratch = await mkdtemp(join(tmpdir(), 'slipstream-flips-'));
    try {
      next = await runWorker(setting, scratch, { from: next, to: end }, onCase);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
}

function runWorker(
  { seed, home, only, worker: program = WORKER }: RunSetting,
  scratch: string,
  orders: Orders,
  onCase: (played: RunCase) => void,
): Promise<number> {
  const execArgv = [`--max-old-space-size=${HEAP_MEGABYTES}`];
  const options = { execArgv, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] } as const;
  const worker = fork(program, [JSON.stringify({ seed, home, only, scratch })], {
    ...options,
    stdio: [...options.stdio],
  });
  return new Promise((resolve, reject) => {
    let at: number | undefined;
    let next = orders.from;
    let lastWords = '';
    let silentTicks = 0;
    const timer = setInterval(() => {
      silentTicks += 1;
      if (silentTicks * TICK_MS >= SILENCE_MS_MAX) worker.kill('SIGKILL');
    }, TICK_MS);
    worker.stderr?.on('data', (bytes: Buffer) => {
      lastWords = `${lastWords}${bytes}`.slice(-1_000);
    });
    worker.on('message', (report: Report) => {
      silentTicks = 0;
      if (report.type === 'ready') worker.send(orders);
      if (report.type === 'begun') at = report.number;
      if (report.type === 'played') {
        next = report.number + 1;
        onCase({ ...report.played, number: report.number });
      }
    });
    worker.on('error', reject);
    worker.on('exit', (code, signal) => {
      clearInterval(timer);
      if (next === orders.to) return resolve(next);
      if (at === undefined) return reject(new Error(`the worker ended before its first case: ${lastWords}`));
      const why =
        signal === 'SIGKILL' ? `no end after ${SILENCE_MS_MAX / 1000} s` : `ended the process (${signal ?? code})`;
      const verdict: Verdict = { outcome: 'forbidden', words: `${why}: ${lastWords.trim()}` };
      onCase({ number: at, kind: undefined, what: 'a case without a reported end', verdict });
      resolve(at + 1);
    });
  });
}
