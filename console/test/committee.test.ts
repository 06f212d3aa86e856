import type { EpochRecordJson, ProposalView, ValidatorView } from '@slipstream/schema';
import { expect, test } from 'vitest';
import { fakeEpochs } from '../../packages/api/test/fake-epochs.ts';
import { genesis } from '../../packages/client/test/real-chain.ts';
import { countdown, differences, stepsOf, underWay, waitText } from '../src/views/committee/next-committee.ts';
import { parameterDifferences, parameterRows } from '../src/views/committee/parameters.ts';

const epochs = fakeEpochs(genesis);
const now = (await epochs.record(0)) as EpochRecordJson;
const [first] = (await epochs.validators({ cursor: undefined, limit: 1 })).items as [ValidatorView];
const [proposal] = (await epochs.proposals({ cursor: undefined, limit: 1 })).items as [ProposalView];
const other = `0x${'ee'.repeat(32)}`;

test('the next committee is shown by its differences', () => {
  const [a, b, c, ...rest] = now.members as [Member, Member, Member, ...Member[]];
  expect(differences(now, { ...now, epoch: 1 })).toEqual([]);
  const next = {
    ...now,
    version: 2,
    parameters: { ...now.parameters, trustedIssuers: [`0x${'0a'.repeat(48)}`] },
    members: [
      { ...a, weight: 5 },
      { ...b, peer: other, address: 'new:1' },
      ...rest,
      { ...c, validatorId: other, name: 'new' },
    ],
  };
  expect(differences(now, next)).toEqual([
    { name: a.name, what: `weight ${a.weight} → 5` },
    { name: b.name, what: 'takes its next keys' },
    { name: b.name, what: 'is reached at new:1' },
    { name: 'new', what: `joins with weight ${c.weight}` },
    { name: c.name, what: 'leaves' },
    { name: 'Trusted issuers', what: 'change' },
    { name: 'Rules', what: 'version 1 → 2' },
  ]);
});

type Member = EpochRecordJson['members'][number];

test('a validator shows what is under way, the most urgent first', () => {
  const rotation = { blsPublicKey: first.blsPublicKey, peer: other };
  expect(underWay(first)).toBeUndefined();
  expect(underWay({ ...first, rotation })).toBe('next keys, NOT READY');
  expect(underWay({ ...first, rotation, ready: true })).toBe('next keys, ready');
  expect(underWay({ ...first, status: 'candidate' })).toBe('candidate, NOT READY');
  expect(underWay({ ...first, rotation, leaving: true })).toBe('leaves at a seal');
  expect(underWay({ ...first, leaving: true, reported: true })).toContain('contradiction');
  expect(underWay({ ...first, status: 'removed', reported: true })).toBeUndefined();
});

test('a proposal counts down to its time, then to its expiry', () => {
  const timed = { ...proposal, notBeforeMs: 10_000, expiresMs: 70_000 };
  expect(countdown(timed, 0)).toBe('not before 10 s from now');
  expect(countdown(timed, 10_000)).toBe('expires in 1 min');
  expect(countdown(timed, 70_000)).toBe('expired');
  expect(waitText(proposal)).toBe('more approvals');
  expect(waitText({ waits: [] })).toContain('next block');
});

test('a proposal shows its steps: its candidates are ready once their nodes report it', () => {
  const { blsPublicKey } = first;
  const candidate: ValidatorView = { ...first, status: 'candidate', name: 'newcomer' };
  const addition = { ...proposal, changes: [{ kind: 'addValidator', blsPublicKey }] } as unknown as ProposalView;
  const text = (...given: Parameters<typeof stepsOf>) =>
    stepsOf(...given).map(({ name, isDone }) => `${name}${isDone ? ' done' : ''}`);
  expect(text(addition, [candidate], 0)).toEqual(['proposed done', 'approved', 'newcomer ready', 'sealed']);
  const timed = { ...addition, approvedWeight: 3, notBeforeMs: 10 };
  expect(text(timed, [{ ...candidate, ready: true }], 9)).toEqual([
    'proposed done',
    'approved done',
    'time reached',
    'newcomer ready done',
    'sealed',
  ]);
  expect(text(timed, [], 10)).toEqual(['proposed done', 'approved done', 'time reached done', 'sealed']);
});

test('parameters are shown by what differs, with their units', () => {
  const { fees, times } = now.parameters;
  const then = { fees: { ...fees, windowBlocks: 21 }, times: { ...times, minBlockIntervalMs: 1_500 } };
  expect(parameterDifferences(now.parameters, now.parameters)).toEqual([]);
  expect(parameterDifferences(now.parameters, then)).toEqual([
    `fee window: ${fees.windowBlocks} blocks → 21 blocks`,
    `min block interval: ${times.minBlockIntervalMs} ms → 1,500 ms`,
  ]);
  expect(parameterRows(then).map(([name]) => name)).toContain('limit of compute');
});
