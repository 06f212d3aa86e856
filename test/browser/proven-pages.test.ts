/** Blocks and receipts are verified as they are shown, by checks that run: what a node changes is refused, and the page says where. */
import type { BlockPage, BlockView, TransactionView } from '@slipstream/schema';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditPage, overflowPx } from './harness/audit.ts';
import { startNetwork, type WatchedNetwork } from './harness/network.ts';
import { launchBrowser, openPage, type Theme, WIDTHS } from './harness/page.ts';

const RECIPIENT = `0x01${'5a'.repeat(32)}`;

let network: WatchedNetwork;
let browser: Browser;
let transfer: TransactionView;

beforeAll(async () => {
  [network, browser] = await Promise.all([startNetwork({ offender: false }), launchBrowser()]);
  transfer = await network.node('validator-0').client.faucet(RECIPIENT, { wait: 'final', timeoutMs: 30_000 });
});

afterAll(async () => {
  await browser?.close();
  await network?.remove();
});

const verified = (page: Page, what: string) =>
  page
    .getByRole('status')
    .filter({ hasText: 'verified' })
    .filter({ hasText: `${what}: certified at height` })
    .first();
const refused = (page: Page) =>
  page.getByRole('status').filter({ hasText: 'refused' }).filter({ hasText: 'This node’s answer does not hold' });

const VIEWS = [
  ['explorer/block/3', 'Header'],
  ['transaction', 'Receipt and actions'],
  ['explorer', 'headers'],
] as const;

const LOOKS: readonly (readonly [number, Theme])[] = [
  [WIDTHS.wide, 'dark'],
  [WIDTHS.narrow, 'light'],
];

describe.each(LOOKS)('at %i px, %s', (width, theme) => {
  test.each(VIEWS)('%s says what was verified, fits, and has no accessibility fault', async (view, what) => {
    const path = view === 'transaction' ? `explorer/transaction/${transfer.id}` : view;
    const { page, faults, close } = await openPage(browser, `${network.url}/#/${path}`, { width, theme });
    await verified(page, what).waitFor();
    expect(await overflowPx(page)).toBeLessThanOrEqual(0);
    expect(await auditPage(page)).toEqual([]);
    if (view === 'explorer') return close();
    await page.getByRole('button', { name: 'Change one bit and verify' }).click();
    await page.getByText('Proof refused').waitFor();
    await verified(page, what).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

/** Opens a page of which the node's answers to `route` are changed. */
async function openChanged<T>(view: string, route: string, change: (answer: T) => T) {
  const opened = await openPage(browser, 'about:blank');
  await opened.page.context().route(route, async (each) => {
    const response = await each.fetch();
    await each.fulfill({ response, json: change((await response.json()) as T) });
  });
  await opened.page.goto(`${network.url}/#/${view}`);
  return {
    page: opened.page,
    async close() {
      await opened.page.context().unrouteAll({ behavior: 'wait' });
      await opened.close();
    },
  };
}

test('a header that the node changes is refused', async () => {
  const { page, close } = await openChanged<BlockView>('explorer/block/3', '**/v1/blocks/3', (view) => ({
    ...view,
    block: { ...view.block, proposer: (view.block.proposer + 1) % 4 },
  }));
  await refused(page).waitFor();
  expect(await refused(page).textContent()).toContain('Each block hashes to its id');
  await close();
});

test('a state digest that the node changes is refused', async () => {
  const stateDigest = `0x${'66'.repeat(32)}`;
  const { page, close } = await openChanged<BlockView>('explorer/block/3', '**/v1/blocks/3', (view) => ({
    ...view,
    stateDigest,
  }));
  await refused(page).waitFor();
  expect(await refused(page).textContent()).toContain('The state digest that the node says is the certified one');
  await close();
});

test('one changed header in a list is refused', async () => {
  const { page, close } = await openChanged<BlockPage>('explorer', '**/v1/blocks?*', ({ items, next }) => ({
    items: items.map((view, at) => (at === 1 ? { ...view, block: { ...view.block, timestampMs: 1 } } : view)),
    next,
  }));
  await refused(page).waitFor();
  await close();
});

test.each<[string, (view: TransactionView) => TransactionView, string]>([
  [
    'fee',
    (view) => ({ ...view, ...(view.receipt && { receipt: { ...view.receipt, fee: '123456' } }) }),
    '/receipt/fee is not what the proof says',
  ],
  [
    'content',
    (view) => ({
      ...view,
      ...(view.transaction && { transaction: { ...view.transaction, expiryMs: view.transaction.expiryMs + 1 } }),
    }),
    '/transaction is not the transaction of the receipt',
  ],
])('a receipt whose %s the node changes is refused', async (_, change, reason) => {
  const view = `explorer/transaction/${transfer.id}`;
  const { page, close } = await openChanged<TransactionView>(view, `**/v1/transactions/${transfer.id}`, change);
  await refused(page).waitFor();
  expect(await refused(page).textContent()).toContain(reason);
  expect(await auditPage(page)).toEqual([]);
  await close();
});
