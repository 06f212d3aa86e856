/** Resource use of local processes from /proc (Linux, proc(5)): processor time in total and per thread name, waits, memory, disk bytes. */
import { readdir, readFile } from 'node:fs/promises';

export interface ProcessUse {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly diskReadBytes: number;
  readonly diskWrittenBytes: number;
}

export interface ThreadUse {
  readonly name: string;
  readonly cpuSeconds: number;
  /** Time in which it was ready and had no processor. */
  readonly waitedSeconds: number;
}

/** Unit of processor time in /proc, on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;
const NS_PER_SECOND = 1e9;

/** Undefined when the process has ended, or this system has no /proc. */
export async function readProcess(pid: number): Promise<ProcessUse | undefined> {
  try {
    const [stat, statm, io] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'latin1'),
      readFile(`/proc/${pid}/statm`, 'latin1'),
      readFile(`/proc/${pid}/io`, 'latin1').catch(() => ''),
    ]);
    return {
      cpuSeconds: cpuSecondsOf(stat),
      memoryBytes: Number(statm.split(' ')[1]) * PAGE_BYTES,
      diskReadBytes: ioOf(io, 'read_bytes'),
      diskWrittenBytes: ioOf(io, 'write_bytes'),
    };
  } catch {
    return undefined;
  }
}

/** Processor time so far, summed per thread name. Empty when it cannot be read. */
export async function readThreads(pid: number): Promise<readonly ThreadUse[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const stats = await Promise.all(
    tasks.map(async (task) => {
      const of = (file: string) => readFile(`/proc/${pid}/task/${task}/${file}`, 'latin1').catch(() => undefined);
      const [stat, schedule] = await Promise.all([of('stat'), of('schedstat')]);
      if (stat === undefined) return undefined;
      const name = Number(task) === pid ? 'main' : threadName(stat);
      return { name, cpuSeconds: cpuSecondsOf(stat), waitedSeconds: waitedSecondsOf(schedule) };
    }),
  );
  const byName = new Map<string, ThreadUse>();
  for (const each of stats) if (each) byName.set(each.name, sumOf(byName.get(each.name), each));
  return [...byName.values()];
}

function sumOf(a: ThreadUse | undefined, b: ThreadUse): ThreadUse {
  if (a === undefined) return b;
  return { ...b, cpuSeconds: a.cpuSeconds + b.cpuSeconds, waitedSeconds: a.waitedSeconds + b.waitedSeconds };
}

/** Processor time between two readings, for the threads of the second. */
export function usedSince(before: readonly ThreadUse[], after: readonly ThreadUse[]): readonly ThreadUse[] {
  const known = new Map(before.map((each) => [each.name, each]));
  return after.map(({ name, cpuSeconds, waitedSeconds }) => ({
    name,
    cpuSeconds: cpuSeconds - (known.get(name)?.cpuSeconds ?? 0),
    waitedSeconds: waitedSeconds - (known.get(name)?.waitedSeconds ?? 0),
  }));
}

/** The name is in parentheses and may hold any character, also parentheses. */
function threadName(stat: string): string {
  return stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
}

function cpuSecondsOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** proc(5), schedstat: time on the processor, time in the queue for it, ns. 0 where the kernel counts none. */
function waitedSecondsOf(schedule: string | undefined): number {
  return Number(schedule?.split(' ')[1] ?? 0) / NS_PER_SECOND;
}

function ioOf(io: string, name: string): number {
  return Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(io)?.[1] ?? 0);
}
