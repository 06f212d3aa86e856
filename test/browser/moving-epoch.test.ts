/**
 * A chain whose epoch ends, and whose next committee has other keys: the page follows, and verifies receipts of both epochs with the first
 * genesis file.
 */
import { generateKeyPair } from '@slipstream/client';
import { readGenesis } from '@slipstream/node-home';
import { to0x } from '@slipstream/primitives';
import { genesisHashOf } from '@slipstream/types';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  act,
  consentOf,
  giveNextKeys,
  operatorOf,
  untilEpoch,
  validatorIdFrom,
} from '../../scripts/devnet/governing.ts';
import { auditPage } from './harness/audit.ts';
import { startNetwork, type WatchedNetwork } from './harness/network.ts';
import { launchBrowser, openPage } from './harness/page.ts';

/** An idle chain ends an epoch in seconds. */
const FAST_BLOCKS = ['--consensus-idle-block-interval-ms', '100'];
const ROTATED = 1;
let network: WatchedNetwork;
let browser: Browser;
let before: string;

beforeAll(async () => {
  [network, browser] = await Promise.all([
    startNetwork({ offender: false, accounts: true, flagsOf: () => FAST_BLOCKS }),
    launchBrowser(),
  ]);
  before = await note('before');
});

afterAll(async () => {
  await browser?.close();
  await network?.remove();
});

/** Id of a final transaction. */
function note(name: string): Promise<string> {
  const value = new TextEncoder().encode('noted');
  return act(network.node('validator-0').client, generateKeyPair(), { kind: 'setData', name, value });
}

async function rotateKeys(): Promise<void> {
  const node = network.node(`validator-${ROTATED}`);
  const { client } = network.node('validator-0');
  const [keys, operator] = [await giveNextKeys(node), await operatorOf(node)];
  await act(client, operator, {
    kind: 'rotateKeys',
    validatorId: await validatorIdFrom(client, ROTATED),
    blsPublicKey: keys.blsPublicKey,
    peerKey: keys.peerKey,
    address: `127.0.0.1:${node.networkPort}`,
    feeAccount: operator.account,
    consent: await consentOf(client, keys, operator),
  });
}

test('the Committee view moves to the next epoch while it is open', async () => {
  const { page, faults, close } = await openPage(browser, `${network.url}/#/committee`);
  const now = page.getByRole('region', { name: 'Members now' });
  await now.getByText(/^epoch 0 /).waitFor();
  await rotateKeys();
  await untilEpoch(network, 1);
  await now.getByText(/^epoch 1 /).waitFor({ timeout: 60_000 });
  expect(faults).toEqual([]);
  await close();
});

test('receipts of both epochs are verified in the page with the first genesis file; one changed bit is refused', async () => {
  const after = await note('after');
  const firstFile = await readGenesis(network.genesisFile);
  for (const id of [before, after]) {
    const { page, faults, close } = await openPage(browser, `${network.url}/#/explorer/transaction/${id}`);
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await page.getByText('Proof verified').waitFor();
    expect(await page.getByText(/: passed$/).count()).toBe(8);
    await page
      .getByText(to0x(genesisHashOf(firstFile)))
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Change one bit and verify' }).click();
    await page.getByText('Proof refused').waitFor();
    expect(await auditPage(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  }
});
