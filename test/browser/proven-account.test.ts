/** An account's balance, data and sessions with their proofs: over an honest node each is verified, over a node that lies the page says so. */
import type { AccountView } from '@slipstream/schema';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditPage, overflowPx } from './harness/audit.ts';
import { startNetwork, type WatchedNetwork } from './harness/network.ts';
import { launchBrowser, openPage, type Theme, WIDTHS } from './harness/page.ts';

const ACCOUNT = `0x01${'5b'.repeat(32)}`;
const LIAR = 'validator-1';
/** Between panels. */
const GAP_PX = 16;

let network: WatchedNetwork;
let browser: Browser;

beforeAll(async () => {
  const flagsOf = ({ name }: { readonly name: string }) =>
    name === LIAR ? ['--development-false-balances', 'true'] : [];
  [network, browser] = await Promise.all([startNetwork({ offender: false, flagsOf }), launchBrowser()]);
  await network.node('validator-0').client.faucet(ACCOUNT, { wait: 'final', timeoutMs: 30_000 });
});

afterAll(async () => {
  await browser?.close();
  await network?.remove();
});

const verified = (page: Page, what: string) =>
  page
    .getByRole('status')
    .filter({ hasText: 'verified' })
    .filter({ hasText: `${what}: certified at height` });
const refused = (page: Page) =>
  page.getByRole('status').filter({ hasText: 'refused' }).filter({ hasText: 'This node’s answer does not hold' });
const balanceOf = (page: Page) =>
  page.locator('dt', { hasText: /^Balance$/ }).locator('xpath=following-sibling::dd[1]');

const LOOKS: readonly (readonly [number, Theme])[] = [
  [WIDTHS.wide, 'dark'],
  [WIDTHS.narrow, 'light'],
];

describe.each(LOOKS)('at %i px, %s', (width, theme) => {
  test('an honest node’s balance is verified, and refused with one bit changed', async () => {
    const { page, faults, close } = await openPage(browser, `${network.url}/#/explorer/account/${ACCOUNT}`, {
      width,
      theme,
    });
    await verified(page, 'Balance').waitFor();
    expect(await page.getByText(/: passed$/).count()).toBe(12);
    expect(await overflowPx(page)).toBeLessThanOrEqual(0);
    expect(await auditPage(page)).toEqual([]);
    for (let round = 0; round < 3; round++) {
      await page.getByRole('button', { name: 'Change one bit and verify' }).first().click();
      await page.getByText('Proof refused').waitFor();
      await page.getByRole('button', { name: 'Verify in this browser' }).first().click();
      await page.getByText('Proof verified').waitFor();
    }
    expect(faults).toEqual([]);
    await close();
  });

  test('panels leave no empty part of the page beside them', async () => {
    const url = `${network.url}/#/explorer/account/${ACCOUNT}`;
    const { page, close } = await openPage(browser, url, { width, theme });
    await verified(page, 'Balance').waitFor();
    const boxOf = async (title: string) => {
      const box = await page.getByRole('region', { name: title, exact: true }).boundingBox();
      if (box === null) throw new Error(`there is no panel ${title}`);
      return box;
    };
    const [balance, data, proof] = [await boxOf('Balance'), await boxOf('Data and sessions'), await boxOf('Proof')];
    const isBeside = width === WIDTHS.wide;
    expect(data.y === balance.y).toBe(isBeside);
    const below = isBeside ? balance : data;
    expect(proof.x).toBe(balance.x);
    expect(proof.width).toBe(isBeside ? data.x + data.width - balance.x : balance.width);
    expect(proof.y - (below.y + below.height)).toBeCloseTo(GAP_PX, 0);
    await close();
  });

  test('a node that lies about a balance is refuted', async () => {
    const url = `${network.node(LIAR).url}/#/explorer/account/${ACCOUNT}`;
    const { page, close } = await openPage(browser, url, { width, theme });
    await refused(page).waitFor();
    expect(await refused(page).textContent()).toContain('The path leads from the value');
    const { balance } = await network.node('validator-0').client.account(ACCOUNT);
    expect((await balanceOf(page).textContent())?.replace(/\D/g, '')).toBe(String(BigInt(balance) + 1_000_000n));
    expect(await verified(page, 'Balance').count()).toBe(0);
    expect(await overflowPx(page)).toBeLessThanOrEqual(0);
    expect(await auditPage(page)).toEqual([]);
    await close();
  });
});

test('a node that says another balance than its proof is quoted with both', async () => {
  const { page, close } = await openPage(browser, 'about:blank');
  await page.context().route('**/v1/accounts/*?proof=true', async (route) => {
    const response = await route.fetch();
    const view = (await response.json()) as AccountView;
    await route.fulfill({ response, json: { ...view, balance: '77' } });
  });
  await page.goto(`${network.url}/#/explorer/account/${ACCOUNT}`);
  await refused(page).waitFor();
  expect(await refused(page).textContent()).toMatch(/this node says a balance of 77, its proof says [1-9]\d*/);
  await page.context().unrouteAll({ behavior: 'wait' });
  await close();
});

test('data and sessions that do not exist are proven absent', async () => {
  const { page, faults, close } = await openPage(browser, `${network.url}/#/explorer/account/${ACCOUNT}`);
  for (const [name, what] of [
    ['colour', 'Data “colour”'],
    ['ab'.repeat(32), 'Session'],
  ] as const) {
    await page.getByLabel('Name of data, or id of a session').fill(name);
    await page.getByRole('button', { name: 'Look up' }).click();
    await verified(page, what).waitFor();
    await page.getByText('none: proven absent').waitFor();
  }
  expect(await overflowPx(page)).toBeLessThanOrEqual(0);
  expect(await auditPage(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
