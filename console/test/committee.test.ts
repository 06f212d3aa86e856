import type { EpochRecordJson, ProposalView, ValidatorView } from '@slipstream/schema';
import { expect, test } from 'vitest';
import { fakeEpochs } from '../../packages/api/test/fake-epochs.ts';
import { genesis } from '../../packages/client/test/real-chain.ts';
import { countdown, differences, underWay, waitText } from '../src/views/committee/next-committee.ts';

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
    { name: 'Parameters', what: 'change' },
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
