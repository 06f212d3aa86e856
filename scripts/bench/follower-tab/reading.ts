/**
 * Checks what the bench reads as the tab's processor time, with busy loops of known time. During a loop one of the tab's threads runs or waits for a
 * processor; what all of them ran, by the scheduler's count in ns, is what is to be read.
 */
import { readdir, readFile } from 'node:fs/promises';

const LOOP_MS = 2_000;
/** Of the loop's time and of the processor time, which is read in ticks of 10 ms. */
const TOLERANCE = 0.1;

const PLACES = ['page', 'worker'] as const;
type Place = (typeof PLACES)[number];

export interface Spinning {
  readonly pid: number;
  spin(place: Place, ms: number): Promise<void>;
  /** Of the process, as the bench reads it. */
  cpuSeconds(): Promise<number>;
}

/** By place: what was read, as a share of what the threads ran. Throws when it is far from 1, or when no thread of the tab was busy. */
export async function checkReading(tab: Spinning): Promise<Readonly<Record<Place, number>>> {
  await tab.spin('worker', 0);
  return { page: await shareRead(tab, 'page'), worker: await shareRead(tab, 'worker') };
}

async function shareRead({ pid, spin, cpuSeconds }: Spinning, place: Place): Promise<number> {
  const [secondsBefore, before] = [await cpuSeconds(), await threadTimes(pid)];
  await spin(place, LOOP_MS);
  const [secondsAfter, after] = [await cpuSeconds(), await threadTimes(pid)];
  const used = [...after].map(([task, { ranMs, waitedMs }]) => ({
    ranMs: ranMs - (before.get(task)?.ranMs ?? 0),
    waitedMs: waitedMs - (before.get(task)?.waitedMs ?? 0),
  }));
  const ranMs = used.reduce((sum, each) => sum + each.ranMs, 0);
  const readMs = (secondsAfter - secondsBefore) * 1_000;
  const seenMs = Math.max(...used.map((each) => each.ranMs + each.waitedMs));
  if (seenMs < LOOP_MS * (1 - TOLERANCE) || Math.abs(readMs - ranMs) > ranMs * TOLERANCE) {
    const text = `no thread ran or waited longer than ${seenMs.toFixed(0)} ms, all ran ${ranMs.toFixed(0)} ms, ${readMs.toFixed(0)} ms was read`;
    throw new Error(`a busy loop of ${LOOP_MS} ms in the ${place}: ${text}`);
  }
  return readMs / ranMs;
}

interface ThreadTimes {
  readonly ranMs: number;
  /** Ready to run, without a processor. */
  readonly waitedMs: number;
}

/** By task. Source: Linux, Documentation/scheduler/sched-stats.rst. */
async function threadTimes(pid: number): Promise<ReadonlyMap<string, ThreadTimes>> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const times = tasks.map(async (task): Promise<[string, ThreadTimes]> => {
    const text = await readFile(`/proc/${pid}/task/${task}/schedstat`, 'latin1').catch(() => '0 0 0');
    const [ranMs = 0, waitedMs = 0] = text.split(' ').map((ns) => Number(ns) / 1e6);
    return [task, { ranMs, waitedMs }];
  });
  return new Map(await Promise.all(times));
}
