import { createIssuerMeter } from '@slipstream/crypto';
import type { LedgerEntry, LedgerTransaction } from '@slipstream/ledger';
import { asId, hexOf, type TransactionId } from '@slipstream/types';
import { expect, it } from 'vitest';
import type { PooledState } from '../src/api-thread/node-link.ts';
import { type BackendComponents, createBackend } from '../src/backend/backend.ts';
import { createTracker } from '../src/backend/tracker.ts';

const id = asId<TransactionId>(new Uint8Array(32).fill(7));
const onChain = { height: 4, index: 0, receipt: { height: 4, outcome: { status: 'success' } } } as LedgerTransaction;

const HEAD_MS = 50_000;
const meter = createIssuerMeter({ monotonicMs: () => 0 });

const entryOf = (transaction: LedgerTransaction | undefined): LedgerEntry | undefined =>
  transaction && { type: 'transaction', transaction };

/** Ledger and pool answer as a test says. */
function backendOf(
  transaction: () => LedgerTransaction | undefined,
  pooled: () => PooledState,
  tracker = createTracker(() => {}),
) {
  const parts: Partial<Record<keyof BackendComponents, unknown>> = {
    tracker,
    headTimestampMs: () => HEAD_MS,
    ledger: { entry: async () => entryOf(transaction()), block: async () => undefined },
    node: { pooled: async () => pooled() },
    operation: {},
    reads: {},
    sessions: {},
  };
  return createBackend(parts as unknown as BackendComponents);
}

it('a transaction whose block is committed during the look-up is final, not unknown', async () => {
  let committed = false;
  const backend = backendOf(
    () => (committed ? onChain : undefined),
    () => {
      committed = true;
      return { status: 'included' };
    },
  );
  expect(await backend.transaction(id)).toMatchObject({ type: 'found', value: { status: 'final', height: 4 } });
});

it('a wait for a dropped and expired transaction ends at once', async () => {
  const dropped: PooledState = { status: 'dropped', reason: 'fee-not-covered', expiryMs: HEAD_MS };
  const backend = backendOf(
    () => undefined,
    () => dropped,
  );
  const never = new AbortController().signal;
  expect(await backend.waitFor(id, ['final'], never)).toMatchObject({
    type: 'found',
    value: { status: 'expired', reason: 'fee-not-covered' },
  });
});

it.each([
  ['before its expiry', 'fee-not-covered', HEAD_MS + 1, 'pending'],
  ['at its expiry', 'fee-not-covered', HEAD_MS, 'expired'],
  ['which has expired on the main thread', 'expired', HEAD_MS + 1, 'expired'],
] as const)(
  'a dropped transaction, %s, has its reason, and is expired only when no block can hold it',
  async (_, reason, expiryMs, status) => {
    const { transaction } = backendOf(
      () => undefined,
      () => ({ status: 'dropped', reason, expiryMs }),
    );
    expect(await transaction(id)).toMatchObject({ type: 'found', value: { status, reason, expiryMs } });
  },
);

it('a wait for a transaction that was dropped and accepted elsewhere ends at its execution or its expiry', async () => {
  for (const end of ['final', 'expired'] as const) {
    const tracker = createTracker(() => {});
    let pooled: PooledState = { status: 'dropped', reason: 'fee-not-covered', expiryMs: HEAD_MS + 1 };
    const backend = backendOf(
      () => (end === 'final' && tracker.get(hexOf(id)) ? onChain : undefined),
      () => pooled,
      tracker,
    );
    const waited = backend.waitFor(id, ['final'], new AbortController().signal);
    const ends: string[] = [];
    void waited.then(() => ends.push('end'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(ends).toEqual([]);
    expect([...tracker.expire(HEAD_MS).keys()]).toEqual([]);
    expect([...tracker.expire(HEAD_MS + 1).keys()]).toEqual([hexOf(id)]);
    pooled = { status: 'unknown' };
    tracker.moved(hexOf(id), end);
    expect(await waited).toMatchObject({ type: 'found', value: { status: end } });
    expect([...tracker.expire(HEAD_MS + 1).keys()]).toEqual([]);
  }
});

it.each([
  ['past its expiry', HEAD_MS, 'expired'],
  ['that may still be included', HEAD_MS + 1, 'pending'],
])(
  'an open one %s, by block time, is answered at once by the accepting and by another node',
  async (_, expiryMs, status) => {
    const tracker = createTracker(() => {});
    tracker.submitted(hexOf(id), expiryMs);
    const home = backendOf(
      () => undefined,
      () => ({ status: 'unknown' }),
      tracker,
    );
    const other = backendOf(
      () => undefined,
      () => ({ status: 'pending', expiryMs }),
    );
    for (const { transaction } of [home, other]) {
      expect(await transaction(id)).toMatchObject({ type: 'found', value: { status, expiryMs } });
    }
  },
);

it.each([
  ['waits in the pool', { status: 'pending', expiryMs: HEAD_MS + 1 }, 'not-ready'],
  ['has expired', { status: 'pending', expiryMs: HEAD_MS }, 'unknown'],
  ['no node knows', { status: 'unknown' }, 'unknown'],
] as const)('a transaction that %s has a proof that is %s', async (_, pooled, expected) => {
  const parts: Partial<Record<keyof BackendComponents, unknown>> = {
    tracker: createTracker(() => {}),
    headTimestampMs: () => HEAD_MS,
    ledger: { entry: async () => undefined },
    node: { pooled: async () => pooled },
    operation: {},
    reads: { proof: async () => ({ type: 'unknown' }) },
    sessions: {},
  };
  const backend = createBackend(parts as unknown as BackendComponents);
  expect(await backend.proof(id)).toEqual({ type: expected });
});

it.each([
  ['waits in the pool', 'pool', 'pending', undefined],
  ['was just committed', 'chain', 'final', 3],
  ['is on the chain', 'chain', 'final', 4],
] as const)(
  'a resubmission that %s is answered without a call to the main thread and without a chunk',
  async (_, where, status, height) => {
    const tracker = createTracker(() => {});
    if (height !== 4) tracker.submitted(hexOf(id), HEAD_MS + 1);
    if (height === 3) tracker.moved(hexOf(id), 'final', { height });
    const forbidden = async () => {
      throw new Error('no read is expected');
    };
    const parts: Partial<Record<keyof BackendComponents, unknown>> = {
      tracker,
      headTimestampMs: () => HEAD_MS,
      ledger: { transaction: async () => onChain, block: forbidden },
      transactionOf: forbidden,
      node: { submitMany: async () => [{ type: 'known', id, where, sameBytes: true }], pooled: forbidden },
      operation: { refusal: () => undefined },
      reads: {},
      sessions: {},
    };
    const backend = createBackend(parts as unknown as BackendComponents);
    const [outcome] = await backend.submitMany([Uint8Array.of(7)]);
    expect(outcome).toMatchObject({ type: 'accepted', status });
  },
);

it('a pending transaction with another signature is a conflict', async () => {
  const parts: Partial<Record<keyof BackendComponents, unknown>> = {
    tracker: createTracker(() => {}),
    meter,
    headTimestampMs: () => HEAD_MS,
    node: { submitMany: async () => [{ type: 'known', id, where: 'pool', sameBytes: false }] },
    operation: { refusal: () => undefined },
    reads: {},
    sessions: {},
  };
  const backend = createBackend(parts as unknown as BackendComponents);
  expect(await backend.submitMany([Uint8Array.of(7)])).toMatchObject([{ type: 'conflict' }]);
});

it.each([
  ['is on the chain', onChain, { type: 'accepted', status: 'final' }],
  ['is not on the chain', undefined, { type: 'invalid', reason: 'expired' }],
])('an expired one that %s is answered by this thread, one after another', async (_, found, expected) => {
  let underWay = 0;
  const transaction = async () => {
    underWay += 1;
    expect(underWay).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    return found;
  };
  const expired = { type: 'rejected', reason: 'expired', message: 'it has expired', id };
  const parts: Partial<Record<keyof BackendComponents, unknown>> = {
    tracker: createTracker(() => {}),
    meter,
    ledger: { transaction },
    node: { submitMany: async () => [expired, expired, expired] },
    operation: { refusal: () => undefined },
    reads: {},
    sessions: {},
  };
  const backend = createBackend(parts as unknown as BackendComponents);
  const outcomes = await backend.submitMany([Uint8Array.of(7), Uint8Array.of(8), Uint8Array.of(9)]);
  expect(outcomes).toHaveLength(3);
  for (const outcome of outcomes) expect(outcome).toMatchObject(expected);
});

it('an address that sends malformed transactions is soon throttled, and no other is; loopback is exempt', async () => {
  let judged = 0;
  const submitMany = async (transactions: readonly Uint8Array[]) => {
    judged += transactions.length;
    return transactions.map(() => ({ type: 'rejected', reason: 'malformed', message: 'cut short' }));
  };
  const parts: Partial<Record<keyof BackendComponents, unknown>> = {
    tracker: createTracker(() => {}),
    meter: createIssuerMeter({ monotonicMs: () => 0 }),
    node: { submitMany },
    operation: { refusal: () => undefined },
    reads: {},
    sessions: {},
  };
  const backend = createBackend(parts as unknown as BackendComponents);
  const garbage = Array.from({ length: 1_000 }, () => new Uint8Array(0));
  const kinds = async (source: string) => new Set((await backend.submitMany(garbage, source)).map(({ type }) => type));
  expect(await kinds('10.0.0.1')).toEqual(new Set(['malformed']));
  expect(await kinds('10.0.0.1')).toEqual(new Set(['overloaded']));
  expect(judged).toBe(1_000);
  expect(await kinds('10.0.0.2')).toEqual(new Set(['malformed']));
  for (const here of ['127.0.0.1', '127.0.0.1', '::1', '::1']) {
    expect(await kinds(here)).toEqual(new Set(['malformed']));
  }
});

it('a wait for an attestation that came before it ends at once', async () => {
  const backend = backendOf(
    () => undefined,
    () => ({ status: 'attested' }),
  );
  const never = new AbortController().signal;
  expect(await backend.waitFor(id, ['attested'], never)).toMatchObject({
    type: 'found',
    value: { status: 'attested' },
  });
  expect(await backend.transaction(id)).toMatchObject({ type: 'found', value: { status: 'attested' } });
});

it('a transaction that was taken in here is attested, though the notice was lost', async () => {
  const tracker = createTracker(() => {});
  tracker.submitted(hexOf(id), HEAD_MS + 1);
  const backend = backendOf(
    () => undefined,
    () => ({ status: 'attested' }),
    tracker,
  );
  const value = { status: 'attested', expiryMs: HEAD_MS + 1 };
  expect(await backend.transaction(id)).toMatchObject({ type: 'found', value });
});
