/** A new user's first steps in a browser: a transfer and its proof, a validator killed and restarted. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { auditPage } from '../browser/harness/audit.ts';
import { launchBrowser, openPage } from '../browser/harness/page.ts';
import { run } from './engine.ts';
import { type RunningChain, startChain } from './running-chain.ts';

/** Folder of pictures for the documentation. */
const PICTURES = process.env.SLIPSTREAM_PICTURES;
const HEALTH_MS_MAX = 60_000;
/** Container 3 runs it. */
const KILLED = { container: 3, node: 'validator-2' };

let chain: RunningChain;
let browser: Browser;

beforeAll(async () => {
  [chain, browser] = await Promise.all([startChain('console'), launchBrowser()]);
  await chain.allHealthy();
});

afterAll(async () => {
  await browser?.close();
  await chain?.remove();
});

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}

const card = (page: Page, name: string): Locator => page.getByRole('article', { name });

async function untilHealthy(page: Page, name: string): Promise<void> {
  await card(page, name).getByText('Healthy', { exact: true }).waitFor({ timeout: HEALTH_MS_MAX });
}

test('the console opens with live data, and shows node and chain as healthy', async () => {
  const { page, faults, close } = await openPage(browser, chain.url);
  await page.getByText('Live', { exact: true }).waitFor();
  for (const subject of ['Node health', 'Chain health']) {
    await page.getByRole('region', { name: subject }).getByText('Healthy', { exact: true }).waitFor();
  }
  await picture(page, 'containers-overview');
  expect(faults).toEqual([]);
  await close();
});

test('a transfer is sent from the page, and its proof is verified in the page', async () => {
  const { page, faults, close } = await openPage(browser, `${chain.url}/#/try`);
  await page.getByRole('button', { name: 'Generate a key' }).click();
  await page.getByRole('button', { name: 'Request test funds' }).click();
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await page.getByText('Proof verified').waitFor({ timeout: HEALTH_MS_MAX });
  await picture(page, 'containers-proof');
  expect(faults).toEqual([]);
  await close();
});

test('a killed validator is red with its address, and green when it is started again', async () => {
  onTestFailed(async () => console.error(await chain.project.logs()));
  const { page, faults, close } = await openPage(browser, `${chain.url}/#/fleet`);
  const all = ['full-node-0', 'validator-0', 'validator-1', 'validator-2', 'validator-3'];
  for (const name of all) await untilHealthy(page, name);

  const container = await chain.project.container('validator', KILLED.container);
  await run(['docker', 'kill', container]);
  const killed = card(page, KILLED.node);
  await killed.getByText('Unreachable', { exact: true }).waitFor({ timeout: HEALTH_MS_MAX });
  expect(await killed.getAttribute('data-tone')).toBe('bad');
  await killed.getByText(`full-node-0 cannot reach it at http://${container}:8080`, { exact: false }).waitFor();
  expect(await auditPage(page)).toEqual([]);
  await picture(page, 'containers-killed');

  await page.getByRole('link', { name: 'Peers' }).click();
  await page.getByRole('row').filter({ hasText: 'alidator 2' }).getByText('lost').waitFor();
  await picture(page, 'containers-killed-peers');

  await run(['docker', 'start', container]);
  await page.getByRole('link', { name: 'Fleet' }).click();
  for (const name of all) await untilHealthy(page, name);
  expect(await killed.getAttribute('data-tone')).toBe('good');
  await picture(page, 'containers-healed');
  expect(faults).toEqual([]);
  await close();
});

test('the switch selects a validator behind the full node', async () => {
  const { page, faults, close } = await openPage(browser, `${chain.url}/#/overview`);
  await page.getByLabel('Selected node').selectOption({ label: 'validator-1' });
  await page.getByText('validator 1 on', { exact: false }).first().waitFor();
  expect(faults).toEqual([]);
  await close();
});
