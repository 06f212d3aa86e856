/** A development network's fleet: faults injected, shown as unhealthy, removed, shown as healthy. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { auditPage, overflowPx } from './harness/audit.ts';
import { startNetwork, type WatchedNetwork } from './harness/network.ts';
import { launchBrowser, openPage, WIDTHS } from './harness/page.ts';

let network: WatchedNetwork;
let browser: Browser;

beforeAll(async () => {
  [network, browser] = await Promise.all([startNetwork({ fullNodes: 1, offender: false }), launchBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await network?.remove();
});

/** Removes the previous test's faults. */
beforeEach(async () => {
  for (const { process } of network.nodes) process.setFaults({ corruptSignatures: false, cutPeers: [] });
  const stopped = network.nodes.filter(({ process }) => !process.running);
  await network.start(stopped.map(({ name }) => name));
});

const openFleet = (width: number = WIDTHS.wide) =>
  openPage(browser, `${network.gateway.url}/#/fleet/token/${network.gateway.token}`, { width });

const card = (page: Page, name: string): Locator => page.getByRole('article', { name });

async function untilWell(page: Page, name: string): Promise<void> {
  await card(page, name).getByText('Healthy', { exact: true }).waitFor({ timeout: 60_000 });
}

async function act(page: Page, node: string, button: string): Promise<void> {
  const zone = page.getByRole('region', { name: 'Danger zone' });
  await zone.getByRole('checkbox', { name: node }).check();
  await zone.getByRole('button', { name: button, exact: true }).click();
  await zone.getByRole('status').filter({ hasText: node }).waitFor({ timeout: 60_000 });
  await zone.getByRole('checkbox', { name: node }).uncheck();
}

test.each([WIDTHS.narrow, WIDTHS.smallest])(
  'the bar shows the complete name of the selected node at %i px',
  async (width) => {
    const { page, faults, close } = await openPage(browser, network.gateway.url, { width });
    const nodes = page.getByRole('combobox', { name: 'Selected node' });
    await nodes.waitFor();
    await nodes.selectOption('validator-3');
    await page.getByRole('banner').getByText('Healthy', { exact: true }).waitFor({ timeout: 60_000 });
    const [hasPx, needsPx] = await page.evaluate<[number, number]>(NAME_PX);
    expect(hasPx).toBeGreaterThanOrEqual(needsPx);
    expect(await overflowPx(page)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await close();
  },
);

/** Widths of the switch, and of one with the chosen name only. */
const NAME_PX = `(() => {
  const held = document.querySelector('.bar-switch');
  const heldPx = held.offsetWidth;
  const free = held.cloneNode(false);
  free.add(new Option(held.selectedOptions[0].textContent));
  free.style.flex = 'none';
  held.after(free);
  const freePx = free.offsetWidth;
  free.remove();
  return [heldPx, freePx];
})()`;

test('a killed validator is red with the reason, and green when it is started again', async () => {
  const { page, faults, close } = await openFleet();
  for (const { name } of network.nodes) await untilWell(page, name);
  expect(page.url()).not.toContain(network.gateway.token);

  await network.kill(['validator-2']);
  const killed = card(page, 'validator-2');
  await killed.getByText('Stopped', { exact: true }).waitFor();
  await killed.getByText('The process is not running. Start it; it syncs by itself.').waitFor();
  expect(await killed.getAttribute('data-tone')).toBe('bad');
  expect(await auditPage(page)).toEqual([]);

  await act(page, 'validator-2', 'Start');
  await untilWell(page, 'validator-2');
  expect(await killed.getAttribute('data-tone')).toBe('good');
  // The browser reports each request to which the relay of a stopped node answers 503.
  expect(faults.filter((fault) => !/validator-2|503/.test(fault))).toEqual([]);
  await close();
});

test('the others show the killed validator as lost, and its views as nullified, with its index', async () => {
  const { page, close } = await openPage(browser, `${network.url}/#/peers`);
  await page.getByText('Live', { exact: true }).waitFor();
  await network.kill(['validator-3']);
  const row = page.getByRole('row').filter({ hasText: 'alidator 3' });
  await row.getByText('lost').waitFor();
  await page.getByRole('link', { name: 'Timeline' }).click();
  const nullified = page.getByRole('group', { name: 'Nullified views' }).getByRole('row').filter({ hasText: /^3/ });
  await nullified.first().waitFor({ timeout: 60_000 });
  await network.start(['validator-3']);
  await page.getByRole('link', { name: 'Peers' }).click();
  await row.getByText('connected').waitFor();
  await close();
});

test('a partitioned node shows that it cannot finalize, and is healthy again when the links are healed', async () => {
  const { page, faults, close } = await openFleet();
  for (const { name } of network.nodes) await untilWell(page, name);
  await act(page, 'validator-1', 'Partition');
  const cut = card(page, 'validator-1');
  await cut.getByText(/Partitioned from validator-0/).waitFor();
  await cut
    .getByText(/percent of the voting weight is reachable|No peers|not ready/)
    .first()
    .waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Heal all links' }).click();
  for (const { name } of network.nodes) await untilWell(page, name);
  expect(faults).toEqual([]);
  await close();
});

test('a validator that signs invalidly is found by bisection and shown as blocked, with alert and remedy', async () => {
  const { page, faults, close } = await openFleet();
  for (const { name } of network.nodes) await untilWell(page, name);
  await act(page, 'validator-2', 'Corrupt signatures');
  await card(page, 'validator-0').getByText('Validator 2 is blocked by this node').waitFor({ timeout: 60_000 });
  await card(page, 'validator-0').getByRole('button', { name: 'Select validator-0' }).click();
  const alerts = page.getByRole('region', { name: 'Alerts' });
  await alerts.getByText('validator-blocked').waitFor();
  await alerts.getByRole('link', { name: 'Open Peers' }).first().click();
  await page
    .getByRole('region', { name: 'Blocked' })
    .getByText(/signature does not verify/)
    .waitFor();
  expect(await auditPage(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('the switch selects another node in every view, also after a reload', async () => {
  const { page, faults, close } = await openPage(browser, `${network.gateway.url}/#/storage`);
  await page.getByText('State log files').waitFor();
  const choice = page.getByLabel('Selected node');
  await choice.selectOption({ label: 'full-node-0' });
  await page.getByText('full node on devnet').waitFor();
  for (const view of ['Dissemination', 'Peers', 'Timeline', 'Explorer', 'Overview']) {
    await page.getByRole('link', { name: view, exact: true }).click();
    await page.getByText('full node on devnet').waitFor();
  }
  await page.reload();
  await page.getByText('full node on devnet').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('an action with a wrong token is refused with the reason', async () => {
  const { page, close } = await openPage(browser, `${network.gateway.url}/#/fleet/token/wrong`);
  await page.getByRole('checkbox', { name: 'validator-0' }).check();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('this needs the control token', { exact: false }).waitFor();
  expect(network.node('validator-0').process.paused).toBe(false);
  await close();
});

test('a single node has no danger zone, and shows how to start several', async () => {
  const { page, faults, close } = await openPage(browser, `${network.url}/#/fleet`, { width: WIDTHS.narrow });
  await page.getByText('One node only').waitFor();
  expect(await page.getByText('Danger zone').count()).toBe(0);
  expect(await overflowPx(page)).toBeLessThanOrEqual(0);
  expect(await auditPage(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
