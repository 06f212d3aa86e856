/**
 * The process of a page, for its use in /proc.
 *
 * A browser has several: of pages, of those that a page left, and spare ones. None is known by its work: on a busy machine the start of a spare
 * one may have used more than the page. So it is the one whose processor time is what the page itself reads of its own process.
 */
import type { Browser, CDPSession, Page } from 'playwright-core';

/** Of a processor time in /proc. */
const TICK_SECONDS = 0.01;
/** Makes processor times differ. */
const SPIN_MS = 100;
const ATTEMPTS_MAX = 50;

/** Of a page whose process does not change any more: it is loaded. */
export async function processOfPage(browser: Browser, page: Page): Promise<number> {
  const own = await page.context().newCDPSession(page);
  const all = await browser.newBrowserCDPSession();
  await own.send('Performance.enable');
  try {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const atLeast = await ownSeconds(own);
      const renderers = await rendererSeconds(all);
      const atMost = await ownSeconds(own);
      const [found, ...others] = renderers.filter(
        ({ cpuTime }) => cpuTime > atLeast - TICK_SECONDS && cpuTime < atMost + TICK_SECONDS,
      );
      if (found !== undefined && others.length === 0) return found.id;
      await page.evaluate(`(() => { const end = performance.now() + ${SPIN_MS}; while (performance.now() < end); })()`);
    }
    throw new Error('no process of the browser, or several, has the processor time that the page reads');
  } finally {
    await Promise.all([own.detach(), all.detach()]);
  }
}

interface ProcessInfo {
  readonly type: string;
  readonly id: number;
  /** Seconds. */
  readonly cpuTime: number;
}

async function rendererSeconds(session: CDPSession): Promise<readonly ProcessInfo[]> {
  const answer = await session.send('SystemInfo.getProcessInfo');
  const { processInfo } = answer as { readonly processInfo: readonly ProcessInfo[] };
  return processInfo.filter(({ type }) => type === 'renderer');
}

async function ownSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const seconds = metrics.find(({ name }) => name === 'ProcessTime')?.value;
  if (seconds === undefined) throw new Error('this browser does not tell the processor time of a page');
  return seconds;
}
