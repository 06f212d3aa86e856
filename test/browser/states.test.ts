/** From a fake node: alerts, an unresponsive node, a thousand peers, hostile names. */
import type { Stats } from '@slipstream/schema';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fakePeer, type RunningFake, runFakeNode } from '../../console/test/fake-node.ts';
import { NO_STATS } from '../../packages/schema/test/full-stats.ts';
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

const BARE_STATS: Stats = { ...NO_STATS, height: 1, finalHeight: 1, certifiedHeight: 1, view: 1 };

test('an alert is shown with its rule and remedy, announced to screen readers, and removed when cleared', async () => {
  node = await runFakeNode();
  const { page, faults, close } = await openPage(browser, node.url);
  await page.getByText('Live', { exact: true }).waitFor();
  node.api.hub.publish('alert.raised', ALERT);
  const alerts = page.getByRole('region', { name: 'Alerts' });
  await alerts.getByText(ALERT.message).waitFor();
  const text = await alerts.textContent();
  for (const words of [ALERT.rule, ALERT.threshold, ALERT.remedy]) expect(text).toContain(words);
  expect(await page.locator('[aria-live="assertive"]').textContent()).toContain(ALERT.message);
  await page.getByText('Degraded').first().waitFor();
  expect(await auditPage(page)).toEqual([]);
  const worse = '47 ordered blocks are not committed';
  node.api.hub.publish('alert.changed', { ...ALERT, message: worse });
  await alerts.getByText(worse).waitFor();
  expect(await page.locator('[aria-live="assertive"]').textContent()).not.toContain(worse);
  node.api.hub.publish('alert.cleared', { rule: ALERT.rule });
  await alerts.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await close();
});

test('a node that no longer responds is shown as stale', async () => {
  node = await runFakeNode();
  const { page, faults, close } = await openPage(browser, node.url);
  await page.getByText('Live', { exact: true }).waitFor();
  node.silence();
  await page.getByText('is connected and unresponsive', { exact: false }).waitFor();
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

test.each([WIDTHS.narrow, WIDTHS.smallest])(
  'the name of a failing node is shown completely at %i px',
  async (width) => {
    node = await runFakeNode({ name: 'validator-12' });
    const { page, faults, close } = await openPage(browser, node.url, { width });
    await page.getByText('Live', { exact: true }).waitFor();
    node.api.hub.publish('alert.raised', ALERT);
    await page.getByText('Degraded').first().waitFor();
    const name = page.locator('.bar-name');
    expect(await name.textContent()).toBe('validator-12');
    const cutPx = await name.evaluate((element) => [
      element.scrollWidth - element.clientWidth,
      element.scrollHeight - element.clientHeight,
    ]);
    expect(cutPx).toEqual([0, 0]);
    expect(await overflowPx(page)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await close();
  },
);

test('a name with markup is shown as text', async () => {
  const name = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  node = await runFakeNode({ peers: [{ ...fakePeer(1), name }] });
  const { page, faults, close } = await openPage(browser, `${node.url}/#/peers`);
  await page.getByText(name).first().waitFor();
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.title()).toBe('Peers · fake');
  expect(faults).toEqual([]);
  await close();
});

test('a bisection is shown with its offenders and its cost', async () => {
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

test('a page that is opened late shows earlier charts, bisections and events', async () => {
  node = await runFakeNode();
  node.silence();
  const { hub } = node.api;
  const reason = 'the cable was pulled';
  const quantiles = { p50: 4_321, p95: 5_000, p99: 6_000 };
  for (let i = 0; i < 5; i++) hub.publish('stats', { ...BARE_STATS, finalityMs: quantiles });
  hub.publish('bisection', { kind: 'certify', view: 12_345, votes: 34, offenders: [7], checks: 13, ms: 18.5 });
  hub.publish('peer.lost', { peer: fakePeer(1).peer, reason });
  const { page, faults, close } = await openPage(browser, node.url);
  await page.getByText('Finality p50').getByText('4.32 s').waitFor();
  await page.getByText(reason, { exact: false }).waitFor();
  await page.getByText('24 h').first().click();
  expect(await page.getByRole('radio', { name: '24 h', checked: true }).count()).toBe(2);
  expect(await auditPage(page)).toEqual([]);
  await page.getByRole('link', { name: 'Signatures' }).click();
  await page.getByRole('row').filter({ hasText: '12,345' }).waitFor();
  expect(await page.getByRole('radio', { name: '24 h', checked: true }).count()).toBe(1);
  expect(faults).toEqual([]);
  await close();
});

test.each([WIDTHS.wide, WIDTHS.narrow, WIDTHS.smallest])(
  'a number of nine digits is shown completely at %i px',
  async (width) => {
    node = await runFakeNode();
    const { page, faults, close } = await openPage(browser, `${node.url}/#/signatures`, { width });
    await page.getByText('Live', { exact: true }).waitFor();
    node.silence();
    const stats = node.api.hub.latestStats() ?? BARE_STATS;
    const counts = { quorumChecks: 456_789_012, votesChecked: 987_654_321, bisections: 1 };
    node.api.hub.publish('stats', { ...stats, signatures: { ...stats.signatures, ...counts } });
    await page.getByText('987,654,321').waitFor();
    const beyondPx = await page.evaluate<number[]>(`[...document.querySelectorAll('.stat')].flatMap((card) =>
    [...card.querySelectorAll('b')].map((number) =>
      Math.max(number.getBoundingClientRect().right - card.getBoundingClientRect().right, number.scrollWidth - number.clientWidth)))`);
    expect(Math.max(...beyondPx)).toBeLessThanOrEqual(0);
    expect(await overflowPx(page)).toBeLessThanOrEqual(0);
    expect(faults).toEqual([]);
    await close();
  },
);

/** Every alert rule, and the view to which the console links it. */
const TROUBLES: readonly (readonly [rule: string, place: string, heading: string])[] = [
  ['bad-votes', 'Open Signatures', 'Bisections'],
  ['validator-blocked', 'Open Peers', 'Blocked'],
  ['views-nullified', 'Open Timeline', 'Nullified views'],
  ['equivocation', 'Open Peers', 'Evidence'],
  ['behind', 'Open Storage', 'WAL fsync latency'],
  ['log-lost', 'Open Storage', 'Disk usage'],
  ['disk-full', 'Open Storage', 'Disk usage'],
  ['disk-failed', 'Open Storage', 'Disk usage'],
  ['halted', 'Open Storage', 'Pruning'],
];

test.each(TROUBLES)('the alert %s has a remedy and a link to its view', async (rule, link, heading) => {
  node = await runFakeNode();
  const { page, faults, close } = await openPage(browser, node.url);
  await page.getByText('Live', { exact: true }).waitFor();
  const remedy = `What to do about ${rule}.`;
  node.api.hub.publish('alert.raised', { ...ALERT, rule, severity: 'critical', remedy });
  const alerts = page.getByRole('region', { name: 'Alerts' });
  await alerts.getByText(remedy, { exact: false }).waitFor();
  await alerts.getByRole('link', { name: link }).click();
  await page.getByRole('heading', { name: heading, exact: true }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a node that stopped itself is shown as stopped with the reason, after its stream has ended', async () => {
  node = await runFakeNode();
  const { page, close } = await openPage(browser, node.url);
  await page.getByText('Live', { exact: true }).waitFor();
  const why = "this node's state digest is not the one a quorum certified";
  node.api.hub.publish('alert.raised', { ...ALERT, rule: 'halted', severity: 'critical', message: why });
  await page.getByRole('region', { name: 'Alerts' }).getByText(why, { exact: false }).waitFor();
  await node.stop();
  await page.getByText('The stream was lost', { exact: false }).waitFor();
  const card = page.getByRole('region', { name: 'Node health' });
  await card.getByText('Halted').waitFor();
  expect(await card.textContent()).toContain(why);
  await close();
});

test('the flow names each reason, and a flow that does not add up is marked', async () => {
  node = await runFakeNode();
  const { page, faults, close } = await openPage(browser, `${node.url}/#/dissemination`, { width: WIDTHS.smallest });
  await page.getByText('Adds up', { exact: true }).waitFor();
  for (const words of ['Refused: mempool full', 'Refused: bad signature', 'Dropped: expired here']) {
    await page.getByRole('button', { name: words }).waitFor();
  }
  expect(await overflowPx(page)).toBeLessThanOrEqual(0);
  expect(await auditPage(page)).toEqual([]);
  const stats = node.api.hub.latestStats();
  if (stats === undefined) throw new Error('the fake node published no stats');
  const { dissemination } = stats;
  node.silence();
  const flow = { ...dissemination.flow, executed: dissemination.flow.executed - 7 };
  node.api.hub.publish('stats', { ...stats, dissemination: { ...dissemination, flow } });
  await page.getByText('Does not add up').waitFor();
  await page.getByText('7 are missing', { exact: false }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test.each(['dissemination', 'storage'])('%s shows the figures of a node that has done nothing', async (view) => {
  node = await runFakeNode();
  node.silence();
  const { page, faults, close } = await openPage(browser, `${node.url}/#/${view}`);
  node.api.hub.publish('stats', BARE_STATS);
  await page.locator('.stats').first().waitFor();
  expect(await auditPage(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
