/** The Committee view of a chain that changes, and a proposal on the page of its transaction. */
import type { EpochRecordJson, Epochs, ProposalPage, ProposalView, ValidatorView } from '@slipstream/schema';
import { type Change, validatorIdOf } from '@slipstream/types';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RunningFake, runFakeNode } from '../../console/test/fake-node.ts';
import type { EpochReads } from '../../packages/api/src/index.ts';
import { fakeEpochs } from '../../packages/api/test/fake-epochs.ts';
import { buildTransaction, createClient, keyPairFrom, signTransaction } from '../../packages/client/src/index.ts';
import { genesis, genesisHash } from '../../packages/client/test/real-chain.ts';
import { auditPage, overflowPx } from './harness/audit.ts';
import { launchBrowser, openPage, WIDTHS } from './harness/page.ts';

let browser: Browser;
let node: RunningFake;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterEach(() => node?.stop());
afterAll(() => browser?.close());

const PAGE = { cursor: undefined, limit: 20 };
const governor = keyPairFrom(new Uint8Array(32).fill(3));

/** Epoch 1 is sealed: a weight changes, and a validator leaves. A candidate and a rotation are not ready. */
async function changingEpochs(): Promise<EpochReads> {
  const base = fakeEpochs(genesis);
  const now = (await base.record(0)) as EpochRecordJson;
  const epochs = await base.list(PAGE);
  const validators = (await base.validators(PAGE)).items;
  const proposals = await base.proposals(PAGE);
  const [first, ...others] = now.members as [EpochRecordJson['members'][number]];
  const recordHash = `0x${'e1'.repeat(32)}`;
  const next: EpochRecordJson = {
    ...now,
    epoch: 1,
    recordHash,
    members: [{ ...first, weight: 2 }, ...others.slice(0, -1)],
  };
  const sealed: Epochs = {
    ...epochs,
    current: { ...epochs.current, sealed: next.recordHash, sealsFrom: null },
    items: [{ ...(epochs.items[0] as Epochs['items'][number]), epoch: 1, recordHash }, ...epochs.items],
  };
  return {
    ...base,
    list: async () => sealed,
    record: async (epoch = 0) => [now, next][epoch],
    validators: async ({ waiting }) => {
      const candidate = candidateOf(validators[0]);
      return { height: 0, items: waiting === true ? [candidate] : [...validators, candidate], next: null };
    },
    proposals: async () => withAllChanges(proposals, now, first.validatorId),
  };
}

function candidateOf(validator: ValidatorView | undefined): ValidatorView {
  return {
    ...(validator as ValidatorView),
    id: `0x${'fe'.repeat(32)}`,
    name: 'newcomer',
    status: 'candidate',
    weight: 0,
  };
}

function withAllChanges(page: ProposalPage, { parameters }: EpochRecordJson, validatorId: string): ProposalPage {
  const account = governor.accountText;
  const { fees, times, trustedIssuers } = parameters;
  const proposal: ProposalView = {
    ...(page.items[0] as ProposalView),
    notBeforeMs: Date.now() + 3_600_000,
    expiresMs: Date.now() + 90_000_000,
    changes: [
      { kind: 'removeValidator', validatorId },
      { kind: 'setParameters', fees, times },
      { kind: 'setTrustedIssuers', trustedIssuers },
      { kind: 'setVersion', version: 2 },
      { kind: 'setGovernance', governance: { administrators: [account], approvals: 1 } },
    ],
    waits: ['approvals', 'time'],
  };
  return { ...page, items: [...page.items, { ...proposal, id: `0x${'dd'.repeat(32)}` }] };
}

test.each([WIDTHS.wide, WIDTHS.narrow, WIDTHS.smallest])(
  'the view shows now, next, proposals and epochs at %i px',
  async (width) => {
    node = await runFakeNode({ epochs: await changingEpochs() });
    const { page, faults, close } = await openPage(browser, `${node.url}/#/committee`, { width });
    const region = (name: string) => page.getByRole('region', { name });
    await region('Members now').getByText('quorum 3 of 4').waitFor();
    await region('Next committee').getByText('weight 1 → 2').waitFor();
    await region('Next committee').getByText('leaves').waitFor();
    await region('Waiting for a seal').getByText('candidate, NOT READY').waitFor();
    await region('Members now').getByText('leaves with epoch 1').waitFor();
    const proposals = region('Open proposals');
    await proposals.getByText('weight 1 of 3 approved').first().waitFor();
    await proposals.getByText('Nodes with a weight of 0 of 4 know version 2').waitFor();
    await proposals.getByText('more approvals; its time').waitFor();
    await proposals.getByText(/not before 59 min \d+ s from now/).waitFor();
    await proposals.getByText('all values').click();
    await proposals.getByText('minimum price of compute').waitFor();
    await region('Recent epochs').getByText('sealed').waitFor();
    expect(await overflowPx(page)).toBeLessThanOrEqual(0);
    expect(await auditPage(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  },
);

test('an event of governance has the view read again, at once and not again and again', async () => {
  const base = await changingEpochs();
  let [asked, isReady] = [0, false];
  const validators = async (page: Parameters<EpochReads['validators']>[0]) => {
    if (page.waiting === true) asked += 1;
    const found = await base.validators(page);
    return { ...found, items: found.items.map((each) => ({ ...each, ready: isReady })) };
  };
  node = await runFakeNode({ epochs: { ...base, validators } });
  const { page, faults, close } = await openPage(browser, `${node.url}/#/committee`);
  const waiting = page.getByRole('region', { name: 'Waiting for a seal' });
  await waiting.getByText('candidate, NOT READY').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  isReady = true;
  for (let height = 1; height <= 20; height++) node.api.hub.publish('governance.changed', { height });
  await waiting.getByText('candidate, ready').waitFor();
  expect(asked).toBeLessThan(8);
  expect(faults).toEqual([]);
  await close();
});

test('the navigation leads to the view', async () => {
  node = await runFakeNode();
  const { page, faults, close } = await openPage(browser, node.url);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Committee' }).first().click();
  await page.getByText('No change is sealed').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test("a transaction's page shows the values of a proposal", async () => {
  node = await runFakeNode();
  const [member] = genesis.members;
  const validatorId = validatorIdOf(member?.blsPublicKey ?? new Uint8Array(48));
  const changes: readonly Change[] = [
    { kind: 'setWeight', validatorId, weight: 7 },
    { kind: 'setVersion', version: 9 },
  ];
  const body = buildTransaction({
    genesisHash,
    sender: governor.account,
    expiryMs: Date.now() + 30_000,
    actions: [{ kind: 'propose', changes, notBeforeMs: 0 }],
  });
  const signed = signTransaction(body, governor);
  await createClient({ url: node.url }).submit(signed);
  const { page, faults, close } = await openPage(browser, `${node.url}/#/explorer/transaction/${signed.id}`);
  const actions = page.getByRole('region', { name: 'Actions' });
  await actions.getByText('set the weight of validator').waitFor();
  const text = await actions.textContent();
  expect(text).toMatch(/set the weight of validator .* to 7/);
  expect(text).toContain('version of the rules to 9');
  expect(faults).toEqual([]);
  await close();
});
