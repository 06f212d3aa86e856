/** Benches read the processor time of a page: of its process, not of another one that did more. */
import { readdir, readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { processOfPage } from '../../scripts/bench/browser/page-process.ts';
import { launchBrowser } from './harness/page.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const SPIN = '(() => { const end = performance.now() + 500; while (performance.now() < end); })()';
const START_WORKER = `new Promise((resolve) => {
  globalThis.worker = new Worker(URL.createObjectURL(new Blob(['postMessage(0)'])));
  worker.addEventListener('message', () => resolve(undefined));
})`;

async function threadsOf(pid: number): Promise<readonly string[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const names = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/comm`, 'utf8')));
  return names.map((name) => name.trim());
}

test('the process of a page is the one where its worker runs, though another page has used more of the processor', async () => {
  const busy = await browser.newPage();
  const page = await browser.newPage();
  await busy.evaluate(SPIN);
  const [ofBusy, ofPage] = [await processOfPage(browser, busy), await processOfPage(browser, page)];
  expect(ofPage).not.toBe(ofBusy);
  await page.evaluate(START_WORKER);
  expect(await threadsOf(ofPage)).toContain('DedicatedWorker');
  expect(await threadsOf(ofBusy)).not.toContain('DedicatedWorker');
});
