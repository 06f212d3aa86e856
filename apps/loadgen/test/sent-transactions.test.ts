import { expect, test } from 'vitest';
import { createSentTransactions, LOST_KEPT, type Sent } from '../src/fate/sent-transactions.ts';

function sent(id: string): Sent {
  return {
    id,
    bytes: new Uint8Array(),
    node: 'validator-0',
    nodeStarts: 0,
    intendedMs: 10,
    expiryMs: 1_000,
    accepted: false,
    attested: false,
  };
}

test('the counts add up: each sent transaction is refused, unanswered, ended or pending', () => {
  const book = createSentTransactions();
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) book.sent(sent(id));
  book.refused('a', 'sender-limit');
  book.unanswered('f');
  for (const id of ['b', 'c', 'd', 'e']) book.accepted(id, 15);
  book.attested('b', 20);
  book.ended('b', 'final', 30);
  book.ended('c', 'expired', 40);
  book.ended('d', 'lost', 50);
  expect(book.counts()).toEqual({
    sent: 6,
    accepted: 4,
    attested: 1,
    refused: 1,
    unanswered: 1,
    final: 1,
    failed: 0,
    expired: 1,
    lost: 1,
    pending: 1,
  });
  expect(book.pending().map(({ id }) => id)).toEqual(['e']);
  expect([...book.refusals()]).toEqual([['sender-limit', 1]]);
  expect(book.submitToFinalMs()).toEqual({ p50: 20, p95: 20, p99: 20 });
  expect(book.latencies.attested.maxMs).toBe(10);
  expect(book.finalIds()).toEqual(['b']);
});

test('the first lost transactions are retained with the nodes that accepted them, up to a bound', () => {
  const book = createSentTransactions();
  const ids = Array.from({ length: LOST_KEPT + 5 }, (_, number) => `lost-${number}`);
  for (const id of ['kept', ...ids]) {
    book.sent(sent(id));
    book.moved(id, 'validator-2', 1);
    book.accepted(id, 15);
    book.ended(id, id === 'kept' ? 'expired' : 'lost', 50);
  }
  expect(book.lost()).toEqual(ids.slice(0, 20).map((id) => ({ id, node: 'validator-2', expiryMs: 1_000 })));
  expect(book.counts().lost).toBe(25);
});

test('a stall is part of the latency, which begins at the intended time, whenever the transaction left', () => {
  const book = createSentTransactions();
  book.sent({ ...sent('late'), intendedMs: 100 });
  book.accepted('late', 2_600);
  book.ended('late', 'final', 3_100);
  expect(book.latencies.accepted.maxMs).toBe(2_500);
  expect(book.latencies.final.maxMs).toBe(3_000);
});

test('an end that arrives before the answer to the submission counts once it was accepted', () => {
  const book = createSentTransactions();
  book.sent(sent('a'));
  book.ended('a', 'final', 25);
  expect(book.counts()).toMatchObject({ accepted: 0, final: 0, pending: 0 });
  book.accepted('a', 30);
  expect(book.counts()).toMatchObject({ accepted: 1, final: 1, pending: 0 });
});

test('ends of foreign transactions are ignored, and each transaction ends once', () => {
  const book = createSentTransactions();
  book.ended('unknown', 'final', 25);
  book.sent(sent('a'));
  book.accepted('a', 15);
  book.ended('a', 'final', 20);
  book.ended('a', 'expired', 30);
  expect(book.counts()).toMatchObject({ sent: 1, final: 1, expired: 0, pending: 0 });
});

test('a record with outcomes holds every accepted transaction and its end', () => {
  const book = createSentTransactions({ keepFates: true });
  for (const id of ['a', 'b', 'c']) book.sent(sent(id));
  book.accepted('a', 15);
  book.accepted('b', 15);
  book.refused('c', 'expired');
  book.ended('a', 'failed', 20);
  expect([...book.fates()]).toEqual([
    ['a', 'failed'],
    ['b', 'pending'],
  ]);
});
