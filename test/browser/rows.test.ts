/** Distilled batches of a block, their rows, and a row's proof verified in the page, in narrow and wide windows. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningFake, runFakeNode } from '../../console/test/fake-node.ts';
import { batchId, idOf } from '../../packages/client/test/certified-rows.ts';
import { to0x } from '../../packages/primitives/src/index.ts';
import { auditPage, overflowPx } from './harness/audit.ts';
import { launchBrowser, openPage, WIDTHS } from './harness/page.ts';

let browser: Browser;
let node: RunningFake;

beforeAll(async () => {
  browser = await launchBrowser();
  node = await runFakeNode();
});

afterAll(async () => {
  await node?.stop();
  await browser?.close();
});

test.each([WIDTHS.narrow, WIDTHS.wide])('from block to row to verified proof at %i px', async (width) => {
  const { page, faults, close } = await openPage(browser, `${node.url}/#/explorer/block/0`, { width });
  const sound = async () => {
    expect(await overflowPx(page)).toBe(0);
    expect(await auditPage(page)).toEqual([]);
  };
  const batches = page.getByRole('table', { name: 'Batches of block 0' });
  await batches.waitFor();
  await sound();
  await batches.getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Distilled batch' }).waitFor();
  const rows = page.getByRole('table', { name: 'Rows of the batch' });
  await rows.waitFor();
  await sound();
  await rows.getByRole('link', { name: '4', exact: true }).click();
  await page.getByRole('heading', { name: 'Row', exact: true }).waitFor();
  await page.getByText('failed: insufficient-balance', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Verify in this browser' }).click();
  await page.getByText('Proof verified').waitFor();
  await sound();
  await page.getByRole('button', { name: 'Change one bit and verify' }).click();
  await page.getByText('Proof refused').waitFor();
  // The fake node has pruned the certificates of genesis.
  expect(faults.filter((fault) => !fault.includes('410 (Gone)'))).toEqual([]);
  await close();
});

test('an id that is searched for opens the row, and the batch', async () => {
  const { page, close } = await openPage(browser, `${node.url}/#/explorer`);
  const find = async (id: string) => {
    await page.getByLabel('Search').fill(id);
    await page.getByRole('button', { name: 'Find' }).click();
  };
  await find(idOf(9));
  await page.getByRole('heading', { name: 'Row', exact: true }).waitFor();
  await find(to0x(batchId));
  await page.getByRole('heading', { name: 'Distilled batch' }).waitFor();
  await close();
});
