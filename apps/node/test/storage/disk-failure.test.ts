import { DiskError } from '@slipstream/ports';
import { WalError } from '@slipstream/wal';
import { expect, test } from 'vitest';
import { NodeError } from '../../src/errors.ts';
import { diskFailure, isByDisk, stopReasonOf } from '../../src/storage/disk-failure.ts';

const FULL = new DiskError('no-space', 'write of state/2.log failed: ENOSPC');

test.each([
  ['itself', FULL],
  ['an error that it caused', new WalError('write-failed', 'the log cannot be written', {}, FULL)],
  // As structured cloning leaves it.
  ['a copy from another thread', Object.assign(new Error(FULL.message), { name: 'DiskError', code: 'no-space' })],
])('a failed write is recognized by %s, and the node ends with a remedy', (_, error) => {
  expect(isByDisk(error)).toBe(true);
  const reason = stopReasonOf(error);
  expect(reason).toBeInstanceOf(NodeError);
  expect(reason).toMatchObject({ code: 'disk-failed' });
  expect(String(reason)).toContain(error.message);
  expect(String(reason)).toContain('Nothing is signed any more');
});

test.each([
  ['another error', new Error('a defect')],
  ['a missing file', new DiskError('not-found', 'open of x failed')],
  ['no error at all', 'a word'],
])('%s is left unchanged', (_, reason) => {
  expect(isByDisk(reason)).toBe(false);
  expect(stopReasonOf(reason)).toBe(reason);
});

test('the remedy is printed once', () => {
  const { message } = diskFailure('the log failed. Nothing is signed any more. Free space');
  expect(message).toBe('the log failed. Nothing is signed any more. Free space');
  expect(stopReasonOf(diskFailure('full'))).toMatchObject({ message: diskFailure('full').message });
});
