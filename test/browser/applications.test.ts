/** An application's actions, tables, queries and events in the console, over a chain that runs the token of the examples. */
import { buildApplication } from '@slipstream/app-build';
import { foundingApplication } from '@slipstream/node-home/applications';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditPage, overflowPx } from './harness/audit.ts';
import { startNetwork, type WatchedNetwork } from './harness/network.ts';
import { launchBrowser, openPage, WIDTHS } from './harness/page.ts';

const source = new URL('../../docs/integrators/examples/applications/token.ts', import.meta.url);
const shapesSource = new URL('./applications/shapes.ts', import.meta.url);
const HOLDER = `0x01${'3b'.repeat(32)}`;
const SPENDER = `0x01${'4c'.repeat(32)}`;
const FINAL_MS = 60_000;

let network: WatchedNetwork;
let browser: Browser;

beforeAll(async () => {
  const { artifact } = await buildApplication(source.pathname, { isLockFrozen: true });
  const shapes = await buildApplication(shapesSource.pathname, { isLockFrozen: true });
  const applications = [
    foundingApplication(artifact, { holders: [{ owner: HOLDER, value: '1000' }] }),
    foundingApplication(shapes.artifact, {}),
  ];
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

    const check = panel(page, 'Application');
    await check.getByText('verified', { exact: true }).waitFor({ timeout: FINAL_MS });
    await check.getByText(/of the artifact whose hash is in the state at height/).waitFor();

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
    const pages = panel(page, 'All events');
    await pages.getByRole('button', { name: 'Look for newer ones' }).click();
    await pages.getByRole('table').getByText('Approved', { exact: true }).first().waitFor();
    await pages.getByLabel('Event', { exact: true }).selectOption('Transferred');
    await pages.getByText('No events here').waitFor();
    await pages.getByLabel('Event', { exact: true }).selectOption('Approved');
    await pages.getByRole('table').getByText('250').first().waitFor();
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

test.each([WIDTHS.wide, WIDTHS.narrow])(
  'options, lists and choices of an input are filled in at %i px',
  async (width) => {
    const { page, faults, close } = await openPage(browser, `${network.url}/#/applications/shapes`, { width });
    const call = panel(page, 'Call an action');
    await call.getByRole('button', { name: 'Generate a key' }).click();
    await call.getByRole('button', { name: 'Request test funds' }).click();
    await call.getByRole('button', { name: 'Funded: request more' }).waitFor({ timeout: FINAL_MS });

    await call.getByLabel('With note (optional)').check();
    await call.getByLabel('note', { exact: true }).fill(`hello at ${width}`);
    for (let i = 0; i < 3; i++) await call.getByRole('button', { name: 'Add to parts' }).click();
    await call.getByRole('button', { name: 'Remove parts 2' }).click();
    const part = (i: number) => call.getByRole('group', { name: `parts ${i}`, exact: true });
    for (const [i, share] of [
      [1, '256'],
      [2, '9'],
    ] as const) {
      await part(i)
        .getByLabel('to')
        .fill(i === 1 ? SPENDER : HOLDER);
      await part(i).getByLabel('share').fill(share);
    }
    const way = call.getByRole('group', { name: 'way', exact: true });
    await way.getByLabel('kind').selectOption('pickup');
    await way.getByLabel('counter').fill('7');
    await call.getByRole('button', { name: 'Sign and send' }).click();
    await call.getByText('One field has no value that the action takes.').waitFor();
    expect(await auditPage(page)).toEqual([]);
    await save(page, `applications-shapes-${width}`);

    await part(1).getByLabel('share').fill('5');
    await call.getByRole('button', { name: 'Sign and send' }).click();
    await call.getByText('Sent', { exact: true }).waitFor({ timeout: FINAL_MS });
    const answer = await fetch(`${network.url}/v1/applications/shapes/events?name=Sent&limit=100`);
    const { items } = (await answer.json()) as { readonly items: readonly { readonly fields: object }[] };
    expect(items.at(-1)?.fields).toMatchObject({
      note: `hello at ${width}`,
      parts: [
        { to: SPENDER, share: 5 },
        { to: HOLDER, share: 9 },
      ],
      way: { kind: 'pickup', counter: 7 },
    });
    expect(await overflowPx(page)).toBe(0);
    expect(await auditPage(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  },
);

test('an action in quarantine is listed, until it is lifted', async () => {
  const act = (path: string) =>
    fetch(`${network.url}/v1/admin/quarantine/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${network.adminToken}` },
    });
  expect((await act('token/transferFrom')).status).toBe(200);
  const { page, faults, close } = await openPage(browser, `${network.url}/#/applications`);
  const row = panel(page, 'Quarantine').getByRole('row').filter({ hasText: 'transferFrom' });
  await row.getByText('Operator', { exact: true }).waitFor();
  expect(await auditPage(page)).toEqual([]);
  expect((await act('token/transferFrom/lift')).status).toBe(200);
  await row.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await close();
});

test('a manifest that is not of the proven artifact is refused, and nothing can be signed by it', async () => {
  const { page, close } = await openPage(browser, `${network.url}/#/applications`);
  await page.route('**/v1/applications', async (route) => {
    const answer = await route.fetch();
    const text = await answer.text();
    // A transfer whose form shows the payee where the amount is.
    await route.fulfill({ response: answer, body: text.replace('"name":"spender"', '"name":"friend"') });
  });
  await page.goto(`${network.url}/#/applications/token`);
  await page.reload();
  const check = panel(page, 'Application');
  await check.getByText('refused', { exact: true }).waitFor({ timeout: FINAL_MS });
  await check.getByText(/the manifest of this node is not that of the artifact/).waitFor();
  expect(await page.getByRole('button', { name: 'Sign and send' }).count()).toBe(0);
  expect(await auditPage(page)).toEqual([]);
  await save(page, 'applications-refused');
  await close();
});

/** Where SCREENSHOTS names a folder. */
async function save(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
