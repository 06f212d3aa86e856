/**
 * Faults of a real network in the console of the affected node: what is wrong, since when, what to do.
 *
 * Streams, metrics and alerts of the same faults: operator-sees.test.ts. Which test covers what: docs/decisions/0023.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@slipstream/devnet';
import { HOME } from '@slipstream/node-home';
import type { Alert } from '@slipstream/schema';
import { view } from '@slipstream/types';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mountSmallDisk, type SmallDisk } from '../../scripts/chaos/small-disk.ts';
import { auditPage } from '../browser/harness/audit.ts';
import { startNetwork, type WatchedNetwork } from '../browser/harness/network.ts';
import { launchBrowser, openPage } from '../browser/harness/page.ts';
import { contradiction } from './hostile/contradiction.ts';
import { startHostilePeer } from './hostile/peer.ts';
import { keysOf } from './keys.ts';
import { FAST_BLOCKS, standStill } from './lagging.ts';

const SEEN_MS_MAX = 90_000;
const MIB = 1024 * 1024;
const WATCHER = 'validator-0';
/** It diverges at this height, long after the page is open. */
const DIVERGES = { name: 'validator-2', height: 60 };
const SMALL_DISK = 'validator-1';

let network: WatchedNetwork;
let browser: Browser;
let disk: ReturnType<typeof mountSmallDisk>;

beforeAll(async () => {
  const prepare: NonNullable<Parameters<typeof startNetwork>[0]>['prepare'] = ({ node }) => {
    const data = join(node(SMALL_DISK).home, HOME.data);
    mkdirSync(data, { recursive: true });
    disk = mountSmallDisk(data, 200 * MIB);
  };
  const flagsOf = ({ name }: { readonly name: string }) =>
    name === DIVERGES.name ? ['--development-diverge-at', String(DIVERGES.height)] : [];
  [network, browser] = await Promise.all([startNetwork({ offender: false, prepare, flagsOf }), launchBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await network?.stop();
  if (isMounted(disk)) disk.unmount();
  await network?.remove();
});

function isMounted(mounted: typeof disk | undefined): mounted is SmallDisk {
  return mounted !== undefined && 'unmount' in mounted;
}

async function openNode(name: string, place: string) {
  const opened = await openPage(browser, `${network.node(name).url}/#/${place}`);
  await opened.page.getByText('Live', { exact: true }).waitFor();
  return opened;
}

/** Waits until the node's own metrics have the alert. */
async function alertInMetrics(name: string, rule: string): Promise<void> {
  await eventually(`${rule} in the metrics of ${name}`, SEEN_MS_MAX, async () => {
    const text = await (await fetch(`${network.node(name).url}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`slipstream_node_alert_active{rule="${rule}"`));
    return line?.endsWith(' 1') || undefined;
  });
}

async function alertWithRemedy(page: Page, rule: string): Promise<void> {
  const item = page.getByRole('region', { name: 'Alerts' }).getByRole('article').filter({ hasText: rule });
  await item.first().waitFor({ timeout: SEEN_MS_MAX });
  expect((await item.first().textContent())?.length).toBeGreaterThan(60);
}

test('a diverging executor: the page shows that the node stopped itself, with the remedy', async () => {
  const raised: Alert[] = [];
  const stream = network.node(DIVERGES.name).client.events({
    topics: ['alerts'],
    onEvent: ({ event }) => void (event.type === 'alert.raised' && raised.push(event.data)),
  });
  const { page, close } = await openNode(DIVERGES.name, 'overview');
  const card = page.getByRole('region', { name: 'Node health' });
  await card.getByText('Halted').waitFor({ timeout: SEEN_MS_MAX });
  await card.getByText(/this node computed the state digest/).waitFor();
  await card.getByText(/start with an empty folder and state sync/).waitFor();
  stream.close();
  expect(raised.find(({ rule }) => rule === 'halted')?.remedy).toContain('Keep the data folder');
  // Its own metrics end with it, so another node reports it.
  await alertInMetrics(WATCHER, 'validator-offline');
  await close();
});

test('a nearly full disk raises an alert that links to Storage; a full one stops the node, with the remedy', async () => {
  if (!isMounted(disk)) {
    // Needs the right to mount; the rule has its own tests.
    expect(disk.reason).toContain('no small disk can be mounted');
    return;
  }
  const { page, faults, close } = await openNode(SMALL_DISK, 'overview');
  await alertWithRemedy(page, 'disk-full');
  await alertInMetrics(SMALL_DISK, 'disk-full');
  await page.getByRole('region', { name: 'Alerts' }).getByRole('link', { name: 'Open Storage' }).first().click();
  await page.getByRole('heading', { name: 'Disk usage', exact: true }).waitFor();
  expect(await auditPage(page)).toEqual([]);
  expect(faults).toEqual([]);

  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  disk.fill();
  const card = page.getByRole('region', { name: 'Node health' });
  await card.getByText('Halted').waitFor({ timeout: SEEN_MS_MAX });
  await card.getByText(/ENOSPC/).waitFor();
  await card
    .getByText(/Free space, or replace the disk/)
    .last()
    .waitFor();
  disk.free();
  await eventually('its process is gone', SEEN_MS_MAX, async () =>
    network.node(SMALL_DISK).process.running ? undefined : true,
  );
  await network.start([SMALL_DISK]);
  await close();
});

test('a validator that equivocates: Peers shows the evidence with both messages', async () => {
  const identity = await keysOf(network.node('validator-3').home);
  const target = network.node(WATCHER);
  const { page, faults, close } = await openNode(WATCHER, 'peers');
  await network.kill(['validator-3']);
  const traitor = await startHostilePeer({ seed: identity.peerSeed, genesisHash: identity.genesisHash, target });
  try {
    const lane = await traitor.lane('consensus');
    lane.send(contradiction(identity, view((await target.client.status()).view + 20)));
    const summary = page.getByText(/Validator 3 signed two/);
    await summary.first().waitFor({ timeout: SEEN_MS_MAX });
    await summary.first().click();
    expect(await page.locator('.evidence-bytes').count()).toBe(2);
    await page.getByRole('region', { name: 'Blocked' }).getByText('alidator 3').first().waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await alertWithRemedy(page, 'equivocation');
    expect(faults).toEqual([]);
  } finally {
    await traitor.stop();
  }
  await close();
});

test('invalid votes: Signatures shows the bisection with its offender and its cost', async () => {
  const other = await startNetwork({ offender: false });
  try {
    const { page, faults, close } = await openPage(browser, `${other.url}/#/signatures`);
    await page.getByText('Live', { exact: true }).waitFor();
    other.node('validator-2').process.setFaults({ corruptSignatures: true, cutPeers: [] });
    const row = page.getByRole('row').filter({ hasText: /validator 2/ });
    await row.first().waitFor({ timeout: SEEN_MS_MAX });
    expect(await auditPage(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  } finally {
    await other.remove();
  }
});

test('a paused node: its page shows that it was behind, and then that it is healthy again', async () => {
  const other = await startNetwork({ offender: false, flagsOf: () => FAST_BLOCKS });
  try {
    const { name, process, url } = other.node('validator-3');
    const { page, close } = await openPage(browser, url);
    await page.getByText('Live', { exact: true }).waitFor();
    process.pause();
    await page
      .getByText('The node is connected and unresponsive', { exact: false })
      .first()
      .waitFor({ timeout: SEEN_MS_MAX });
    await standStill(other, name, WATCHER);
    process.slowDown();
    await page
      .getByText(/blocks behind the chain/)
      .first()
      .waitFor({ timeout: SEEN_MS_MAX });
    process.resume();
    const card = page.getByRole('region', { name: 'Node health' });
    await card.getByText('Healthy', { exact: true }).waitFor({ timeout: SEEN_MS_MAX });
    await close();
  } finally {
    await other.remove();
  }
});
