/** Every view on a real network, narrow and wide, dark and light: live, without errors, accessible. */

import { type WatchedLoad, watchedLoad } from '@slipstream/app-loadgen';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditPage, overflowPx } from './harness/audit.ts';
import { startNetwork, type WatchedNetwork } from './harness/network.ts';
import { launchBrowser, openPage, type Theme, WIDTHS } from './harness/page.ts';

let network: WatchedNetwork;
let load: WatchedLoad;
let browser: Browser;

beforeAll(async () => {
  [network, browser] = await Promise.all([startNetwork({ offender: false }), launchBrowser()]);
  load = await watchedLoad(network, TRANSFERS_PER_SECOND);
});

afterAll(async () => {
  await load?.load.finish();
  load?.watch.stop();
  await browser?.close();
  await network?.remove();
});

/** Enough that every count of the flow changes. */
const TRANSFERS_PER_SECOND = 5;

/** Each view, with text that it shows with live data. */
const VIEWS = [
  ['overview', 'committed'],
  ['timeline', 'Median block'],
  ['signatures', 'notarize'],
  ['peers', 'connected'],
  ['committee', 'Members now'],
  ['explorer', 'Transactions'],
  ['explorer/block/1', 'Finalization'],
  ['dissemination', 'Adds up'],
  ['storage', 'State log files'],
  ['applications', 'This chain runs no applications'],
  ['try', 'Generate a key'],
  ['fleet', 'Danger zone'],
] as const;

const LOOKS: readonly (readonly [number, Theme])[] = [
  [WIDTHS.wide, 'dark'],
  [WIDTHS.narrow, 'dark'],
  [WIDTHS.wide, 'light'],
  [WIDTHS.narrow, 'light'],
  [WIDTHS.smallest, 'dark'],
];

describe.each(LOOKS)('at %i px, %s', (width, theme) => {
  test.each(VIEWS)('%s shows live data, fits, and has no accessibility fault', async (view, text) => {
    const { page, faults, close } = await openPage(browser, `${network.gateway.url}/#/${view}`, { width, theme });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText(text).first().waitFor();
    expect(await overflowPx(page)).toBeLessThanOrEqual(0);
    expect(await auditPage(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });
});

test('the height updates without a reload', async () => {
  const { page, faults, close } = await openPage(browser, network.url);
  const height = page.locator('.bar-height b');
  await page.getByText('Live', { exact: true }).waitFor();
  const before = await height.textContent();
  await expect.poll(() => height.textContent(), { timeout: 20_000 }).not.toBe(before);
  expect(faults).toEqual([]);
  await close();
});

test('a bar of the timeline opens the stages of its view, also by keyboard', async () => {
  const { page, faults, close } = await openPage(browser, `${network.url}/#/timeline`);
  const bars = page.getByRole('toolbar').getByRole('button');
  await bars.last().click();
  await page.getByRole('heading', { name: /^View \d+$/ }).waitFor();
  const first = await page.getByRole('heading', { name: /^View \d+$/ }).textContent();
  await page.keyboard.press('ArrowLeft');
  const second = await page.getByRole('heading', { name: /^View \d+$/ }).textContent();
  expect(second).not.toBe(first);
  await page.getByRole('button', { name: 'Follow again' }).click();
  await page.getByText('Median block').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('the search finds a block by its height', async () => {
  const { page, faults, close } = await openPage(browser, `${network.url}/#/explorer`);
  await page.getByLabel('Search').fill('2');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Block 2' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('the keyboard skips the navigation to the content, and reaches every view', async () => {
  const { page, close } = await openPage(browser, network.url);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to content');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement?.id')).toBe('main');
  await page.getByRole('link', { name: /Peers/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Blocked' }).waitFor();
  expect(await page.evaluate('document.activeElement?.id')).toBe('main');
  await close();
});
