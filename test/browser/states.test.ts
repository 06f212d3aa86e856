/** What a healthy network does not show: alerts, silence, a thousand peers, names that mean harm. From a node made up for it. */
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fakePeer, type RunningFake, runFakeNode } from '../../console/test/fake-node.ts';
import { auditPage, overflowPx } from './harness/audit.ts';
import { launchBrowser, openPage, WIDTHS } from './harness/page.ts';

let browser: Browser;
let node: RunningFake;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterEach(() => node?.stop());
afterAll(() => browser?.close());

const ALERT = {
  rule: 'commit-lag',
  severity: 'warning',
  message: '31 ordered blocks are not committed',
  threshold: 'commit more than 20 blocks behind order',
  remedy: 'Look at the disk.',
  sinceMs: 1_790_000_000_000,
} as const;

test('an alert is shown with its rule and remedy, told to screen readers, and goes when it is cleared', async () => {
  node = await runFakeNode();
  const { page, faults, close } = await openPage(browser, node.url);
  await page.getByText('Live', { exact: true }).waitFor();
  node.api.hub.publish('alert.raised', ALERT);
  const alerts = page.getByRole('region', { name: 'Alerts' });
  await alerts.getByText(ALERT.message).waitFor();
  const text = await alerts.textContent();
  for (const words of [ALERT.rule, ALERT.threshold, ALERT.remedy]) expect(text).toContain(words);
  expect(await page.locator('[aria-live="assertive"]').textContent()).toContain(ALERT.message);
  await page.getByText('Needs a look').first().waitFor();
  expect(await auditPage(page)).toEqual([]);
  node.api.hub.publish('alert.cleared', { rule: ALERT.rule });
  await alerts.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await close();
});

test('a node that says nothing any more is shown as stale', async () => {
  node = await runFakeNode();
  const { page, faults, close } = await openPage(browser, node.url);
  await page.getByText('Live', { exact: true }).waitFor();
  node.silence();
  await page.getByText('has gone silent', { exact: false }).waitFor();
  expect(await page.locator('main').getAttribute('data-fresh')).toBe('false');
  expect(await auditPage(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test.each([WIDTHS.wide, WIDTHS.narrow])('a thousand peers stay readable at %i px', async (width) => {
  node = await runFakeNode({ peers: 1_000 });
  const { page, faults, close } = await openPage(browser, `${node.url}/#/peers`, { width });
  const holder = page.getByRole('group', { name: 'Peers' });
  await page.getByText('validator-1', { exact: true }).waitFor();
  expect(await holder.getByRole('table').getAttribute('aria-rowcount')).toBe('1001');
  await holder.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await page.getByText('node-999', { exact: true }).waitFor();
  expect(await holder.getByRole('row').count()).toBeLessThan(100);
  expect(await overflowPx(page)).toBeLessThanOrEqual(0);
  expect(faults).toEqual([]);
  await close();
});

test('a name that is markup is shown as the text that it is', async () => {
  const name = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  node = await runFakeNode({ peers: [{ ...fakePeer(1), name }] });
  const { page, faults, close } = await openPage(browser, `${node.url}/#/peers`);
  await page.getByText(name).first().waitFor();
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.title()).toBe('Peers · fake');
  expect(faults).toEqual([]);
  await close();
});

test('a bisection appears with its offenders and what it cost', async () => {
  node = await runFakeNode();
  const { page, faults, close } = await openPage(browser, `${node.url}/#/signatures`);
  await page.getByText('Live', { exact: true }).waitFor();
  const found = { kind: 'certify', view: 12_345, votes: 34, offenders: [7, 21], checks: 13, ms: 18.5 };
  node.api.hub.publish('bisection', found);
  const row = page.getByRole('row').filter({ hasText: '12,345' });
  await row.waitFor();
  expect(await row.textContent()).toContain('validator 7, validator 21');
  expect(faults).toEqual([]);
  await close();
});
