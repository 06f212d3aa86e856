/** Resource use of local processes from /proc (Linux, proc(5)): processor time in total and per thread name, memory, disk bytes. */
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
}

/** Unit of processor time in /proc, on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

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
      const stat = await readFile(`/proc/${pid}/task/${task}/stat`, 'latin1').catch(() => undefined);
      return stat && { name: Number(task) === pid ? 'main' : threadName(stat), cpuSeconds: cpuSecondsOf(stat) };
    }),
  );
  const byName = new Map<string, number>();
  for (const each of stats) if (each) byName.set(each.name, (byName.get(each.name) ?? 0) + each.cpuSeconds);
  return [...byName].map(([name, cpuSeconds]) => ({ name, cpuSeconds }));
}

/** Processor time between two readings, for the threads of the second. */
export function usedSince(before: readonly ThreadUse[], after: readonly ThreadUse[]): readonly ThreadUse[] {
  const known = new Map(before.map(({ name, cpuSeconds }) => [name, cpuSeconds]));
  return after.map(({ name, cpuSeconds }) => ({ name, cpuSeconds: cpuSeconds - (known.get(name) ?? 0) }));
}

/** The name is in parentheses and may hold any character, also parentheses. */
function threadName(stat: string): string {
  return stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
}

function cpuSecondsOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function ioOf(io: string, name: string): number {
  return Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(io)?.[1] ?? 0);
}
