/** A transfer from a key to a verified proof. */
import type { Browser, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditPage } from './harness/audit.ts';
import { startNetwork, type WatchedNetwork } from './harness/network.ts';
import { launchBrowser, openPage, WIDTHS } from './harness/page.ts';

let network: WatchedNetwork;
let browser: Browser;

beforeAll(async () => {
  [network, browser] = await Promise.all([startNetwork(), launchBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await network?.remove();
});

test.each([WIDTHS.wide, WIDTHS.narrow])('makes a transfer from key to verified proof at %i px', async (width) => {
  const { page, faults, close } = await openPage(browser, `${network.url}/#/try`, { width });
  await page.getByRole('button', { name: 'Generate a key' }).click();
  await page.getByRole('button', { name: 'Request test funds' }).click();
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await page.getByText('Proof verified').waitFor({ timeout: 60_000 });

  const stops = page.getByRole('list', { name: 'Stages of the transfer' }).getByRole('listitem');
  expect(await stops.evaluateAll((items) => items.map((item) => item.getAttribute('data-reached')))).toEqual(
    Array(6).fill('true'),
  );
  expect(await page.getByText(/: passed$/).count()).toBe(8);
  expect(await auditPage(page)).toEqual([]);

  await page.getByRole('link', { name: /^0x/ }).last().click();
  await page.getByRole('heading', { name: 'Transaction', exact: true }).waitFor();
  await page.getByText('success').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a session signs without the key, and is refused out of its scope and after revocation', async () => {
  const { page, faults, close } = await openPage(browser, `${network.url}/#/try`);
  await page.getByRole('button', { name: 'Generate a key' }).click();
  await page.getByRole('button', { name: 'Grant a session' }).click();
  const act = page.getByRole('button', { name: 'Set data with the session key' });
  await act.click();
  await page.getByText('The session key set data').waitFor();
  await page.getByRole('button', { name: 'Try a transfer' }).click();
  await page.getByText('Refused (session-out-of-scope)').waitFor();
  await page.getByRole('button', { name: 'Revoke it' }).click();
  await page.getByText('Revoked: every validator').waitFor();
  await act.click();
  await page.getByText('Refused (session-revoked)').waitFor();
  expect(await auditPage(page)).toEqual([]);
  // The browser reports the two refusals (422).
  expect(faults.filter((fault) => !fault.includes('422'))).toEqual([]);
  await close();
});

test('a proof with one bit changed is refused', async () => {
  const { page, faults, close } = await openPage(browser, `${network.url}/#/try`);
  await page.getByRole('button', { name: 'Generate a key' }).click();
  await page.getByRole('button', { name: 'Request test funds' }).click();
  await page.getByRole('link', { name: /^0x/ }).first().click();
  await page.getByRole('button', { name: 'Verify in this browser' }).click();
  await page.getByText('Proof verified').waitFor();
  await page.getByRole('button', { name: 'Change one bit and verify' }).click();
  await page.getByText('Proof refused').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('the first load is below 310 kB', async () => {
  const page = await (await browser.newContext()).newPage();
  const loaded: Request[] = [];
  page.on('requestfinished', (request) => {
    if (new URL(request.url()).pathname.match(/^\/($|assets\/|favicon)/)) loaded.push(request);
  });
  await page.goto(network.url);
  await page.getByText('Live', { exact: true }).waitFor();
  const sizes = await Promise.all(loaded.map((request) => request.sizes()));
  const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(310_000);
  await page.context().close();
});
