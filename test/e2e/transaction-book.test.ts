import { expect, test } from 'vitest';
import { createTransactionBook, type Sent } from '../../scripts/devnet/transaction-book.ts';

function sent(id: string): Sent {
  return { id, node: 'validator-0', nodeStarts: 0, sentMs: 10, expiryMs: 1_000, accepted: false };
}

test('the counts add up: each one sent is refused, has an end, or is pending', () => {
  const book = createTransactionBook();
  for (const id of ['a', 'b', 'c', 'd', 'e']) book.sent(sent(id));
  book.refused('a');
  for (const id of ['b', 'c', 'd', 'e']) book.accepted(id);
  book.ended('b', 'final', 30);
  book.ended('c', 'expired', 40);
  book.ended('d', 'lost', 50);
  expect(book.counts()).toEqual({
    sent: 5,
    accepted: 4,
    refused: 1,
    final: 1,
    failed: 0,
    expired: 1,
    lost: 1,
    pending: 1,
  });
  expect(book.submitToFinalMs()).toEqual({ p50: 20, p95: 20, p99: 20 });
  expect(book.finalIds()).toEqual(['b']);
});

test('an end that is told before the answer to the submission counts once it was accepted', () => {
  const book = createTransactionBook();
  book.sent(sent('a'));
  book.ended('a', 'final', 25);
  expect(book.counts()).toMatchObject({ accepted: 0, final: 0, pending: 0 });
  book.accepted('a');
  expect(book.counts()).toMatchObject({ accepted: 1, final: 1, pending: 0 });
});

test('ends of transactions that others sent are ignored', () => {
  const book = createTransactionBook();
  book.ended('unknown', 'final', 25);
  expect(book.counts()).toMatchObject({ sent: 0, final: 0, pending: 0 });
});
