import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RunningFake, runFakeNode } from '../../console/test/fake-node.ts';
import { launchBrowser, openPage } from './harness/page.ts';

let browser: Browser;
let node: RunningFake;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterEach(() => node?.stop());
afterAll(() => browser?.close());

test('a view opens for the first time while the node is down', async () => {
  node = await runFakeNode();
  const { page, close } = await openPage(browser, node.url);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  await node.stop();
  await page.getByText('The stream was lost', { exact: false }).waitFor();
  await page.getByRole('link', { name: 'Timeline' }).first().click();
  await page.getByRole('heading', { name: 'Recent views' }).waitFor();
  await close();
});

test('a view whose code failed to load is drawn when a retry loads it', async () => {
  node = await runFakeNode();
  const { page, close } = await openPage(browser, 'about:blank');
  await page.route('**/assets/timeline-view*', (route) => route.abort());
  await page.goto(node.url);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Timeline' }).first().click();
  await page.getByText('This view could not be drawn').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('This view could not be drawn').waitFor();
  await page.unroute('**/assets/timeline-view*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Recent views' }).waitFor();
  const display = await page.evaluate<string>("getComputedStyle(document.querySelector('.timeline-bars')).display");
  expect(display).toBe('flex');
  await close();
});
