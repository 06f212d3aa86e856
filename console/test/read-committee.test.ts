import type { Client } from '@slipstream/client';
import type { Epochs, ProposalPage, ValidatorView } from '@slipstream/schema';
import { expect, test } from 'vitest';
import { fakeEpochs } from '../../packages/api/test/fake-epochs.ts';
import { genesis } from '../../packages/client/test/real-chain.ts';
import { createCommitteeReader } from '../src/views/committee/read-committee.ts';
import { reportText } from '../src/views/committee/reported-versions.ts';

const PAGE = { cursor: undefined, limit: 20 };
const { signal } = new AbortController();
const base = fakeEpochs(genesis);

/** A chain in epoch 2, whose state has dropped the members of epoch 1. `versions`: open proposals of a version; `pages`: of validators. */
async function chainOf(versions: number, pages = 1) {
  const [list, record, listed, { items }] = await Promise.all([
    base.list(PAGE),
    base.record(0),
    base.proposals(PAGE),
    base.validators(PAGE),
  ]);
  if (record === undefined) throw new Error('epoch 0 has a record');
  const asked: string[] = [];
  const hashOf = (epoch: number) => `0x${String(epoch).repeat(64)}`;
  const summaryOf = (epoch: number, recordHash: string | null) => ({
    ...(list.items[0] as Epochs['items'][number]),
    epoch,
    recordHash,
  });
  const proposal = listed.items[0] as ProposalPage['items'][number];
  const client: Pick<Client, 'epochs' | 'epoch' | 'proposals' | 'validators'> = {
    async epochs() {
      asked.push('epochs');
      const current = { ...list.current, epoch: 2 };
      return { ...list, current, items: [summaryOf(2, hashOf(2)), summaryOf(1, null)], malformed: [] };
    },
    async epoch(epoch) {
      asked.push(`epoch ${epoch}`);
      return { ...record, epoch: Number(epoch), recordHash: hashOf(Number(epoch)) };
    },
    async proposals() {
      asked.push('proposals');
      const changes = [{ kind: 'setVersion' as const, version: 2 }];
      return { ...listed, items: Array.from({ length: versions }, () => ({ ...proposal, changes })), malformed: [] };
    },
    async validators({ waiting, cursor = '0' } = {}) {
      asked.push(waiting === true ? 'waiting' : 'validators');
      const next = Number(cursor) + 1;
      return { height: 0, items, malformed: [], next: waiting === true || next >= pages ? null : String(next) };
    },
  };
  return { client, asked };
}

test('records are read once, also that of the epoch before whose members the state has dropped', async () => {
  const { client, asked } = await chainOf(0);
  const read = createCommitteeReader();
  const first = await read(client, signal);
  expect([first.now.epoch, first.before?.epoch, first.versions]).toEqual([2, 1, undefined]);
  expect(asked.splice(0).sort()).toEqual(['epoch 1', 'epoch 2', 'epochs', 'proposals', 'waiting']);
  expect(await read(client, signal)).toEqual(first);
  expect(asked.sort()).toEqual(['epochs', 'proposals', 'waiting']);
});

test('all validators are read while a version is proposed, once for all proposals, and in a bounded number of pages', async () => {
  const one = await chainOf(5);
  const read = createCommitteeReader();
  expect((await read(one.client, signal)).versions).toMatchObject({ isPartial: false });
  expect(one.asked.filter((route) => route === 'validators')).toHaveLength(1);
  const many = await chainOf(1, 50);
  expect((await read(many.client, signal)).versions).toMatchObject({ isPartial: true });
  expect(many.asked.filter((route) => route === 'validators')).toHaveLength(11);
});

test('the weight that knows a version is a lower bound where the list was cut', () => {
  const member = (name: string, version: number) => ({ name, version, weight: 2 }) as ValidatorView;
  const members = [member('a', 2), member('b', 1)];
  expect(reportText(2, { members, isPartial: false }, 4)).toBe(
    'Nodes with a weight of 2 of 4 know version 2. Not reported: b.',
  );
  expect(reportText(1, { members, isPartial: true }, 9)).toBe('Nodes with a weight of at least 4 of 9 know version 1.');
  const ten = Array.from({ length: 10 }, (_, i) => member(`v${i}`, 1));
  expect(reportText(2, { members: ten, isPartial: false }, 20)).toContain('v7 and 2 more.');
});
