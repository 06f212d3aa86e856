/** The documentation of a node's interface, under its Content-Security-Policy. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningApi, runApi } from '../../packages/api/test/running-api.ts';
import { auditPage, overflowPx } from './harness/audit.ts';
import { launchBrowser, openPage, WIDTHS } from './harness/page.ts';

let api: RunningApi;
let browser: Browser;

beforeAll(async () => {
  [api, browser] = await Promise.all([runApi(), launchBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await api?.stop();
});

test('a request can be tried from its description, and its response is shown', async () => {
  const { page, faults, close } = await openPage(browser, `${api.url}/docs`);
  const block = page.locator('#operations-blocks-block');
  await block.waitFor();
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await block.getByRole('button').first().click();
  await page.getByRole('button', { name: 'Execute' }).click();
  const answer = block.locator('.live-responses-table');
  await answer.getByText('"height"').first().waitFor();
  expect(await answer.textContent()).toContain('slipstream-chain');
  expect(requested).toEqual([`${api.url}/v1/blocks/latest`]);
  expect(faults).toEqual([]);
  await close();
});

test('a request with a body has an example to start from', async () => {
  const { page, faults, close } = await openPage(browser, `${api.url}/docs`);
  await page.locator('#operations-transactions-submitBatch').getByRole('button').first().click();
  const body = page.locator('#operations-transactions-submitBatch textarea').first();
  expect(await body.inputValue()).toContain('"transactions"');
  expect(faults).toEqual([]);
  await close();
});

test.each(['/docs/streams', '/docs/problems'])('%s is accessible, on a phone too', async (path) => {
  for (const width of [WIDTHS.smallest, WIDTHS.wide]) {
    const { page, faults, close } = await openPage(browser, api.url + path, { width });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await auditPage(page)).toEqual([]);
    expect(await overflowPx(page)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await close();
  }
});
