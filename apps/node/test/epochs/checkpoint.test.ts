/** A checkpoint names the committee of an epoch, and a node that learns another one stops. */
import { to0x } from '@slipstream/primitives';
import type { Epoch, EpochRecord } from '@slipstream/types';
import { expect, test } from 'vitest';
import { epochChain } from '../../../../packages/crypto/test/epoch-chain.ts';
import { checkCheckpoint, committeeHashOf, oldTrust, watchCheckpoint } from '../../src/epochs/checkpoint.ts';
import { createNodeEpochs } from '../../src/epochs/node-epochs.ts';

const chain = await epochChain('checkpoint', { members: 4, epochs: 2, rotations: () => 1 });
const [first, second] = chain.records as [EpochRecord, EpochRecord];
const at = (epoch: number, of: EpochRecord) => ({ 'sync.checkpoint': `${epoch}:${to0x(committeeHashOf(of))}` });
const none = { 'sync.checkpoint': '' };
const DAY_MS = 24 * 60 * 60 * 1000;
const NOW_MS = 1_800_000_000_000;

function watching(setting: { readonly 'sync.checkpoint': string }, inLedger?: EpochRecord) {
  const epochs = createNodeEpochs({ blsKeys: [], networkKeys: [] }, [first], 0 as Epoch);
  const failures: unknown[] = [];
  const parts = {
    epochs,
    ledger: { record: async () => inLedger },
    fail: (error: unknown) => void failures.push(error),
  };
  return { epochs, failures, watch: () => watchCheckpoint(setting, parts) };
}

test('a record of another epoch, and one with the expected committee, pass', () => {
  checkCheckpoint(none, second);
  checkCheckpoint(at(1, second), first);
  checkCheckpoint(at(1, second), second);
});

test('another committee is refused with what was expected and what was found', () => {
  const [wanted, found] = [to0x(committeeHashOf(first)), to0x(committeeHashOf(second))];
  expect(() => checkCheckpoint(at(1, first), second)).toThrow(
    expect.objectContaining({
      code: 'checkpoint-mismatch',
      data: { epoch: 1, expected: wanted, found },
      message: expect.stringMatching(new RegExp(`epoch 1 is ${found} here, and ${wanted} was expected`)),
    }),
  );
});

test('records that a start knows, of the state or the ledger, are checked', async () => {
  await watching(at(0, first)).watch();
  await expect(watching(at(0, second)).watch()).rejects.toMatchObject({ code: 'checkpoint-mismatch' });
  await expect(watching(at(1, first), second).watch()).rejects.toMatchObject({ code: 'checkpoint-mismatch' });
});

test('a running node stops at the seal of another committee', async () => {
  const right = watching(at(1, second));
  await right.watch();
  right.epochs.sealed(second);
  expect(right.failures).toEqual([]);
  const wrong = watching(at(1, first));
  await wrong.watch();
  wrong.epochs.sealed(second);
  expect(wrong.failures).toMatchObject([{ code: 'checkpoint-mismatch' }]);
});

test('trust is old after 30 days, unless a checkpoint is of the newest known epoch or a later one', () => {
  const known = { sinceMs: NOW_MS - 31 * DAY_MS, epoch: 1 };
  expect(oldTrust(none, known, NOW_MS)).toEqual(known);
  expect(oldTrust(none, { ...known, sinceMs: NOW_MS - 29 * DAY_MS }, NOW_MS)).toBeUndefined();
  expect(oldTrust(at(1, second), known, NOW_MS)).toBeUndefined();
  expect(oldTrust(at(0, first), known, NOW_MS)).toEqual(known);
});
