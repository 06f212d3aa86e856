/** Cost of a process as the system counts it: resident memory, processor time. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Cost {
  readonly residentBytes: number;
  readonly processorSeconds: number;
}

export interface CostWatch {
  /** Peak memory, processor time of the watch. */
  stop(): Promise<Cost & { readonly seconds: number }>;
}

const run = promisify(execFile);
const SAMPLE_MS = 250;
const KIB = 1024;

/** POSIX ps: resident kilobytes, [[days-]hours:]minutes:seconds of processor. */
export async function costOf(pid: number): Promise<Cost> {
  const { stdout } = await run('ps', ['-o', 'rss=,time=', '-p', String(pid)]);
  const [kilobytes = '', time = ''] = stdout.trim().split(/\s+/);
  const [clock = '', days = '0'] = time.split('-').toReversed();
  const seconds = clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
  return { residentBytes: Number(kilobytes) * KIB, processorSeconds: Number(days) * 86_400 + seconds };
}

export async function watchCost(pid: number): Promise<CostWatch> {
  const first = await costOf(pid);
  const startMs = performance.now();
  let most = first.residentBytes;
  let sampling = Promise.resolve();
  const timer = setInterval(() => {
    // `stop` reports a dead process.
    sampling = costOf(pid).then(
      ({ residentBytes }) => {
        most = Math.max(most, residentBytes);
      },
      () => clearInterval(timer),
    );
  }, SAMPLE_MS);
  return {
    async stop() {
      clearInterval(timer);
      await sampling;
      const last = await costOf(pid);
      return {
        residentBytes: Math.max(most, last.residentBytes),
        processorSeconds: last.processorSeconds - first.processorSeconds,
        seconds: (performance.now() - startMs) / 1000,
      };
    },
  };
}
