/** An application's actions, tables, queries and events in the console, over a chain that runs the token of the examples. */
import { buildApplication } from '@slipstream/app-build';
import { foundingApplication } from '@slipstream/node-home/applications';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditPage, overflowPx } from './harness/audit.ts';
import { startNetwork, type WatchedNetwork } from './harness/network.ts';
import { launchBrowser, openPage, WIDTHS } from './harness/page.ts';

const source = new URL('../../docs/integrators/examples/applications/token.ts', import.meta.url);
const HOLDER = `0x01${'3b'.repeat(32)}`;
const SPENDER = `0x01${'4c'.repeat(32)}`;
const FINAL_MS = 60_000;

let network: WatchedNetwork;
let browser: Browser;

beforeAll(async () => {
  const { artifact } = await buildApplication(source.pathname, { isLockFrozen: true });
  const applications = [foundingApplication(artifact, { holders: [{ owner: HOLDER, value: '1000' }] })];
  [network, browser] = await Promise.all([
    startNetwork({ validators: 1, offender: false, applications }),
    launchBrowser(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await network?.remove();
});

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test.each([WIDTHS.wide, WIDTHS.narrow])(
  'calls an action and finds its event, its entry and its query at %i px',
  async (width) => {
    const { page, faults, close } = await openPage(browser, `${network.url}/#/applications`, { width });
    await page.getByRole('heading', { name: 'Applications', exact: true }).waitFor();
    expect(await auditPage(page)).toEqual([]);
    await page.getByRole('link', { name: 'token', exact: true }).click();

    const call = panel(page, 'Call an action');
    await call.getByRole('button', { name: 'Generate a key' }).click();
    await call.getByLabel('Action').selectOption('approve');
    await call.getByLabel('spender').fill('0x01');
    await call.getByRole('button', { name: 'Sign and send' }).click();
    await call.getByText('Enter an account: 0x and 66 hexadecimal digits.').waitFor();
    await call.getByText('Enter a whole number from 0 to 2^64 - 1.').waitFor();
    expect(await auditPage(page)).toEqual([]);
    await save(page, `applications-faults-${width}`);

    await call.getByRole('button', { name: 'Request test funds' }).click();
    await call.getByRole('button', { name: 'Funded: request more' }).waitFor({ timeout: FINAL_MS });
    await call.getByLabel('spender').fill(SPENDER);
    await call.getByLabel('value').fill('250');
    await call.getByRole('button', { name: 'Sign and send' }).click();
    await call.getByText('Approved').waitFor({ timeout: FINAL_MS });
    const owner = await call.getByRole('link', { name: /^0x/ }).first().getAttribute('title');

    const lookup = panel(page, 'Look up an entry');
    await lookup.getByLabel('Table').selectOption('allowances');
    await lookup.getByLabel('key1').fill(owner ?? '');
    await lookup.getByLabel('key2').fill(SPENDER);
    await lookup.getByRole('button', { name: 'Look up' }).click();
    await lookup.getByText('verified', { exact: true }).waitFor({ timeout: FINAL_MS });
    await lookup.getByText('250', { exact: true }).waitFor();

    const query = panel(page, 'Run a query');
    await query.getByLabel('owner').fill(HOLDER);
    await query.getByRole('button', { name: 'Run' }).click();
    await query.getByText('1000', { exact: true }).waitFor();

    await panel(page, 'Recent events').getByText('Approved').first().waitFor({ timeout: FINAL_MS });
    expect(await auditPage(page)).toEqual([]);
    expect(await overflowPx(page)).toBe(0);
    await save(page, `applications-called-${width}`);

    await call.getByRole('status').getByRole('link', { name: /^0x/ }).first().click();
    await page.getByRole('heading', { name: 'Transaction', exact: true }).waitFor();
    await page.getByText('call approve of token').waitFor();
    await panel(page, 'Events').getByText('1. token: Approved').waitFor();
    expect(await auditPage(page)).toEqual([]);
    await save(page, `applications-transaction-${width}`);
    expect(faults).toEqual([]);
    await close();
  },
);

test('a call that the application refuses says why, and an absent entry is proven absent', async () => {
  const { page, faults, close } = await openPage(browser, `${network.url}/#/applications/token`);
  const call = panel(page, 'Call an action');
  await call.getByRole('button', { name: 'Generate a key' }).click();
  await call.getByRole('button', { name: 'Request test funds' }).click();
  await call.getByRole('button', { name: 'Funded: request more' }).waitFor({ timeout: FINAL_MS });
  await call.getByLabel('to', { exact: true }).fill(SPENDER);
  await call.getByLabel('value').fill('1');
  await call.getByRole('button', { name: 'Encode' }).click();
  await call.getByText(`"input": "${SPENDER}0100000000000000"`).waitFor();
  await call.getByRole('button', { name: 'Sign and send' }).click();
  await call.getByText('insufficient-balance').waitFor({ timeout: FINAL_MS });
  const lookup = panel(page, 'Look up an entry');
  await lookup.getByLabel('key').fill(SPENDER);
  await lookup.getByRole('button', { name: 'Look up' }).click();
  await lookup.getByText('none: proven absent').waitFor({ timeout: FINAL_MS });
  expect(faults).toEqual([]);
  await close();
});

/** Where SCREENSHOTS names a folder. */
async function save(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
