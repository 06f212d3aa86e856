/** The page's light client verifies certificates of a real network as blocks are committed, and notices one that does not hold. */
import { to0x } from '@slipstream/primitives';
import type { HeightCertificates } from '@slipstream/schema';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditPage } from './harness/audit.ts';
import { startNetwork, type WatchedNetwork } from './harness/network.ts';
import { launchBrowser, openPage } from './harness/page.ts';

let network: WatchedNetwork;
let browser: Browser;

beforeAll(async () => {
  [network, browser] = await Promise.all([startNetwork({ offender: false }), launchBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await network?.remove();
});

test('finalizations and state certificates are verified as they come, and the page says so', async () => {
  const { page, faults, close } = await openPage(browser, `${network.url}/#/signatures`);
  const panel = page.getByRole('region', { name: 'Verified in this browser' });
  await panel.getByRole('row').getByText('verified', { exact: true }).first().waitFor();
  expect(await panel.textContent()).toContain('refused 0');
  const genesisHash = to0x(await network.node('validator-0').client.genesisHash());
  expect(await panel.textContent()).toContain(genesisHash.slice(0, 8));
  await page.goto(`${network.url}/#/overview`);
  await page
    .getByRole('table', { name: 'Recent views' })
    .getByText('verified in this browser')
    .first()
    .waitFor({ state: 'attached' });
  expect(await page.getByText('Certificate refused').count()).toBe(0);
  expect(await auditPage(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('a certificate with other signers than it has is refused, on every view of the page', async () => {
  const { page, close } = await openPage(browser, `${network.url}/#/overview`);
  await page.context().route('**/v1/certificates/*', async (route) => {
    const response = await route.fetch();
    const certificates = (await response.json()) as HeightCertificates;
    const { state } = certificates;
    const signers = state === null ? [] : [0, 1, 2, 3].filter((signer) => signer !== state.signers[0]);
    await route.fulfill({ response, json: { ...certificates, state: state && { ...state, signers } } });
  });
  const banner = page.getByRole('alert').filter({ hasText: 'Certificate refused' });
  await banner.waitFor();
  await page.goto(`${network.url}/#/signatures`);
  await page.getByText(/^Refused: height \d+: the aggregate is not a signature/).waitFor();
  expect(await banner.count()).toBe(1);
  expect(await auditPage(page)).toEqual([]);
  await page.context().unrouteAll({ behavior: 'wait' });
  await close();
});
