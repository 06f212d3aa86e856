/** Where the next block is pruned, no distance is near. */
import type { PeerKey } from '@slipstream/ports';
import type { SyncResponse } from '@slipstream/types';
import { expect, test } from 'vitest';
import { isNextPruned, isStranded } from '../../src/state-sync/survey.ts';

const NOTHING: SyncResponse = { requestId: 1, blocks: [], certificates: [], chunks: [], more: false };
const KEPT: SyncResponse = { ...NOTHING, blocks: [{} as SyncResponse['blocks'][number]] };

function askedOf(answers: Readonly<Record<string, SyncResponse | undefined>>) {
  const asked: unknown[] = [];
  const ask = async (peer: PeerKey, what: unknown) => {
    asked.push(what);
    return answers[peer];
  };
  return { asked, pruned: isNextPruned({ ask }, Object.keys(answers) as PeerKey[], 41) };
}

test('state sync is needed when no answering peer has the block after the own tip', async () => {
  const { asked, pruned } = askedOf({ one: NOTHING, other: NOTHING, silent: undefined });
  expect(await pruned).toBe(true);
  expect(asked[0]).toEqual({ query: 'receipts', from: 42, to: 42 });
});

test('one peer with that block is enough for sync by blocks', async () => {
  expect(await askedOf({ one: NOTHING, other: KEPT }).pruned).toBe(false);
});

test('a node without answers syncs by blocks', async () => {
  expect(await askedOf({ silent: undefined }).pruned).toBe(false);
  expect(await askedOf({}).pruned).toBe(false);
});

test('Y26: a node is stranded when no peer that answers has a block above its own', async () => {
  const strandedWith = (answers: Readonly<Record<string, SyncResponse | undefined>>) =>
    isStranded({ ask: async (peer) => answers[peer], available: () => Object.keys(answers) as PeerKey[] }, 41);
  expect(await strandedWith({ one: NOTHING, other: NOTHING, silent: undefined })).toBe(true);
  expect(await strandedWith({ one: NOTHING, other: KEPT })).toBe(false);
  expect(await strandedWith({ one: NOTHING, other: { ...NOTHING, more: true } })).toBe(false);
  expect(await strandedWith({ silent: undefined })).toBe(false);
  expect(await strandedWith({})).toBe(false);
});
