/** A validator with invalid signatures: found, blocked with its reason, unblocked by an operator. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditPage } from './harness/audit.ts';
import { startNetwork, type WatchedNetwork } from './harness/network.ts';
import { launchBrowser, openPage } from './harness/page.ts';

let network: WatchedNetwork;
let browser: Browser;

beforeAll(async () => {
  [network, browser] = await Promise.all([startNetwork(), launchBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await network?.remove();
});

test('the offender is shown as blocked, with the reason and the way to unblock it', async () => {
  const { page, faults, close } = await openPage(browser, `${network.url}/#/peers`);
  const blocked = page.getByRole('region', { name: 'Blocked' });
  await blocked.getByText('It sent a vote whose signature does not verify.').waitFor();
  expect(await blocked.textContent()).toContain(`alidator ${network.corrupt}`);
  await blocked.getByRole('button', { name: /Unblock/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('the action is written to the audit log', { exact: false }).waitFor();
  expect(await auditPage(page)).toEqual([]);

  await dialog.getByLabel('Admin token').fill(network.adminToken);
  await dialog.getByRole('button', { name: 'Unblock' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await close();
});

test('a wrong token is refused with the reason', async () => {
  const { page, close } = await openPage(browser, `${network.url}/#/peers`);
  await page.getByRole('button', { name: /Unblock/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Admin token').fill('wrong');
  await dialog.getByRole('button', { name: 'Unblock' }).click();
  expect(await dialog.getByRole('alert').textContent()).toContain('token');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await close();
});

test('a node that stops is shown as stale, and as live again when it is back', async () => {
  const { page, close } = await openPage(browser, network.url);
  await page.getByText('Live', { exact: true }).waitFor();
  await network.kill(['validator-0']);
  await page.getByText('The stream was lost', { exact: false }).waitFor();
  await page.getByText('Unreachable').first().waitFor();
  await network.start(['validator-0']);
  await page.getByText('Live', { exact: true }).waitFor();
  expect(await page.getByText('The stream was lost', { exact: false }).count()).toBe(0);
  await close();
});
