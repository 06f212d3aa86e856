/** Where the next block is pruned, no distance is near. */
import type { PeerKey } from '@slipstream/ports';
import type { SyncResponse } from '@slipstream/types';
import { expect, test } from 'vitest';
import { isNextPruned } from '../../src/state-sync/survey.ts';

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
