/** A tab of Chromium with the page of the bench, and the use of its process. */
import { type ProcessUse, readProcess, readThreads } from '@slipstream/app-loadgen';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { processOfPage } from '../browser/page-process.ts';
import type { Opened } from './following.ts';
import type { SignatureTimes, TakenBlock } from './page.ts';
import { checkReading } from './reading.ts';

export interface TabUse {
  readonly atMs: number;
  readonly cpuSeconds: number;
  readonly threads: ReadonlyMap<string, number>;
  readonly memoryBytes: number;
}

export interface Tab {
  follow(genesis: unknown): Promise<Opened>;
  take(): Promise<readonly TakenBlock[]>;
  stop(): Promise<void>;
  /** ms. */
  rebuild(accounts: number): Promise<number>;
  verify(signatures: number): Promise<SignatureTimes>;
  use(): Promise<TabUse>;
  /** What is read as processor time of busy loops, as a share of what they used. Throws when it is far from 1. */
  checkReading(): ReturnType<typeof checkReading>;
  /** Of the page, after a collection: objects, and the memory of typed arrays. */
  heapBytes(): Promise<number>;
}

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu'];
const READY_MS_MAX = 60_000;

export async function onTab<T>(url: string, use: (tab: Tab) => Promise<T>): Promise<T> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.waitForFunction('window.follow !== undefined', undefined, { timeout: READY_MS_MAX });
    return await use(tabOf(page, await page.context().newCDPSession(page), await processOfPage(browser, page)));
  } finally {
    await browser.close();
  }
}

function tabOf(page: Page, session: CDPSession, pid: number): Tab {
  const call = <T>(name: string, argument?: unknown) => page.evaluate<T>(`window.${name}(${JSON.stringify(argument)})`);
  return {
    follow: (genesis) => call('follow', genesis),
    take: () => call('take'),
    stop: () => call('stop'),
    rebuild: (accounts) => call('rebuild', accounts),
    verify: (signatures) => call('verify', signatures),
    checkReading: () =>
      checkReading({
        pid,
        spin: (place, ms) => call(place === 'page' ? 'spin' : 'spinWorker', ms),
        cpuSeconds: async () => (await useOf(pid)).cpuSeconds,
      }),
    async use() {
      const [{ cpuSeconds, memoryBytes }, threads] = await Promise.all([useOf(pid), readThreads(pid)]);
      const byThread = new Map(threads.map((thread) => [thread.name, thread.cpuSeconds]));
      return { atMs: performance.now(), cpuSeconds, memoryBytes, threads: byThread };
    },
    async heapBytes() {
      await session.send('HeapProfiler.collectGarbage');
      const usage = await session.send('Runtime.getHeapUsage');
      const { usedSize, backingStorageSize = 0 } = usage as { usedSize: number; backingStorageSize?: number };
      return usedSize + backingStorageSize;
    },
  };
}

async function useOf(pid: number): Promise<ProcessUse> {
  const use = await readProcess(pid);
  if (use === undefined) throw new Error(`the process ${pid} of the tab has ended, or this system has no /proc`);
  return use;
}

interface UseBetween {
  readonly seconds: number;
  readonly cores: number;
  /** Cores, by thread. */
  readonly threads: ReadonlyMap<string, number>;
}

export function usedBetween(before: TabUse, after: TabUse): UseBetween {
  const seconds = (after.atMs - before.atMs) / 1_000;
  const cores = (after.cpuSeconds - before.cpuSeconds) / seconds;
  const threads = new Map(
    [...after.threads].map(([name, used]) => [name, (used - (before.threads.get(name) ?? 0)) / seconds]),
  );
  return { seconds, cores, threads };
}
