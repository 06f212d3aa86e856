import type { TransactionView } from '@slipstream/schema';
import { expect, test } from 'vitest';
import { transactionText } from '../../src/cli/transaction-text.ts';

test('a failed transaction shows the reason, and the action that failed', () => {
  const outcome = { status: 'failed', code: 'insufficient-balance', action: 2 };
  const view = { id: '0x11', status: 'failed', height: 7, receipt: { outcome, fee: '9', index: 3 } };
  expect(transactionText(view as unknown as TransactionView)).toContain(
    'failed (insufficient-balance, action 2), fee 9, place 3',
  );
});
