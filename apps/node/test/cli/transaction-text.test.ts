import type { TransactionView } from '@slipstream/schema';
import { expect, test } from 'vitest';
import { exitCodeOf, transactionText } from '../../src/cli/transaction-text.ts';

test('a failed transaction shows the reason, and the action that failed', () => {
  const outcome = { status: 'failed', code: 'insufficient-balance', action: 2 };
  const view = { id: '0x11', status: 'failed', height: 7, receipt: { outcome, fee: '9', index: 3 } };
  expect(transactionText(view as unknown as TransactionView)).toContain(
    'failed (insufficient-balance, action 2), fee 9, place 3',
  );
});

test('a row shows its outcome, batch, and both accounts with their indices', () => {
  const row = {
    batchId: '0x22',
    position: 4,
    sender: '0x01aa',
    senderIndex: 7,
    recipient: '0x01bb',
    recipientIndex: 9,
    amount: '12',
    sequence: 3,
    tag: 1,
    outcome: { status: 'skipped', reason: 'sequence-used' },
    fee: '0',
  };
  const view = { id: '0x11', status: 'skipped', height: 7, row } as unknown as TransactionView;
  const text = transactionText(view);
  for (const part of ['skipped at height 7', 'skipped (sequence-used), fee 0', '0x22, position 4']) {
    expect(text).toContain(part);
  }
  expect(text).toContain('from     0x01aa, index 7, sequence 3');
  expect(text).toContain('to       0x01bb, index 9, tag 1');
  expect(exitCodeOf(view)).toBe(1);
});
