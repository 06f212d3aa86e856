/** The page verifies the evidence of a real equivocator, and names what is forged. */
import { root } from '@slipstream/checkout';
import { eventually } from '@slipstream/devnet';
import type { EvidencePage, EvidenceView } from '@slipstream/schema';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askFor } from '../chaos/hostile/two-faced-deeds.ts';
import { auditPage } from './harness/audit.ts';
import { startNetwork, type WatchedNetwork } from './harness/network.ts';
import { launchBrowser, openPage } from './harness/page.ts';

const TRAITOR = 3;
const HONEST = 1;
const EVIDENCE_MS_MAX = 120_000;

let network: WatchedNetwork;
let browser: Browser;

beforeAll(async () => {
  const runtimeFlagsOf = ({ name }: { readonly name: string }) =>
    name === `validator-${TRAITOR}` ? ['--import', `${root}/test/chaos/hostile/two-faced.mjs`] : [];
  [network, browser] = await Promise.all([startNetwork({ offender: false, runtimeFlagsOf }), launchBrowser()]);
  await askFor(network.node(`validator-${TRAITOR}`).home, 'to-all');
  await eventually('evidence at the node', EVIDENCE_MS_MAX, async () => {
    const { items } = (await (await fetch(`${network.url}/v1/evidence`)).json()) as EvidencePage;
    return items.length > 0 ? true : undefined;
  });
});

afterAll(async () => {
  await browser?.close();
  await network?.remove();
});

test('evidence is verified in the page, which says so', async () => {
  const { page, faults, close } = await openPage(browser, `${network.url}/#/peers`);
  const panel = page.getByRole('region', { name: 'Evidence' });
  const item = panel.getByText(`Validator ${TRAITOR} signed two`, { exact: false }).first();
  await item.getByText('verified in this browser', { exact: true }).waitFor();
  expect(await panel.getByText('refused:', { exact: false }).count()).toBe(0);
  expect(await auditPage(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('an altered signature and an accusation of another validator are shown as refused', async () => {
  const { page, close } = await openPage(browser, 'about:blank');
  await page.context().route('**/v1/evidence*', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as EvidencePage;
    const [genuine] = answer.items as [EvidenceView];
    const accusation = { ...genuine, offender: HONEST };
    await route.fulfill({ response, json: { ...answer, items: [altered(genuine), accusation] } });
  });
  await page.goto(`${network.url}/#/peers`);
  const panel = page.getByRole('region', { name: 'Evidence' });
  for (const offender of [TRAITOR, HONEST]) {
    const item = panel.getByText(`Validator ${offender} signed two`, { exact: false });
    await item.getByText(/^refused: ./).waitFor();
  }
  expect(await panel.getByText('verified in this browser', { exact: true }).count()).toBe(0);
  await page.context().unrouteAll({ behavior: 'wait' });
  await close();
});

/** Its first message ends with other bytes. */
function altered(item: EvidenceView): EvidenceView {
  const last = item.first.slice(-2) === '00' ? '01' : '00';
  return { ...item, first: `${item.first.slice(0, -2)}${last}` };
}
