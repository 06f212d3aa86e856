import type { LedgerTransaction } from '@slipstream/ledger';
import { createClock } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import { expect, it, onTestFinished, vi } from 'vitest';
import { watchExpiry } from '../../src/api-thread/expiry-watch.ts';
import { createTracker } from '../../src/backend/tracker.ts';

const ID = 'ab'.repeat(32);
const EXPIRY_MS = 1_000_000;

function watched(onChain = new Map<string, Partial<LedgerTransaction>>()) {
  vi.useFakeTimers({ now: EXPIRY_MS + 3_600_000 });
  const tracker = createTracker(() => {});
  let looked = 0;
  const ledger = {
    async transaction(id: Uint8Array) {
      looked += 1;
      return onChain.get(toHex(id)) as LedgerTransaction | undefined;
    },
  };
  const watch = watchExpiry({ clock: createClock(), telemetry: silentTelemetry, tracker, ledger });
  onTestFinished(() => {
    watch.stop();
    vi.useRealTimers();
  });
  tracker.submitted(ID, EXPIRY_MS);
  /** Commits blocks one after the other, the last with this time. */
  let height = 100;
  const statusAfter = async (timestampMs: number, { missed = 0 } = {}) => {
    height += 1 + missed;
    watch.committed(height, timestampMs);
    await vi.advanceTimersByTimeAsync(2_000);
    return tracker.get(ID)?.status;
  };
  return { tracker, statusAfter, looked: () => looked };
}

it('a transaction does not expire while the chain is stalled before its expiry, whatever the clock says', async () => {
  const { statusAfter } = watched();
  expect(await statusAfter(EXPIRY_MS - 1)).toBe('pending');
  expect(await statusAfter(EXPIRY_MS)).toBe('expired');
});

it('a transaction in the ledger does not expire when the report of its commit was lost', async () => {
  const receipt = { outcome: { status: 'success' } } as LedgerTransaction['receipt'];
  const { tracker, statusAfter } = watched(new Map([[ID, { height: 7 as never, index: 3, receipt }]]));
  await statusAfter(EXPIRY_MS - 50_000, { missed: 1 });
  expect(await statusAfter(EXPIRY_MS + 1)).toBe('final');
  expect(tracker.get(ID)).toMatchObject({ height: 7 });
});

it('a transaction expires without a ledger read when every commit was reported', async () => {
  const { statusAfter, looked } = watched();
  await statusAfter(EXPIRY_MS - 70_000, { missed: 1 });
  expect(await statusAfter(EXPIRY_MS)).toBe('expired');
  expect(looked()).toBe(0);
});

it('a transaction that a block ordered and its execution skipped expires', async () => {
  const { tracker, statusAfter } = watched();
  tracker.moved(ID, 'ordered', { height: 5 });
  expect(await statusAfter(EXPIRY_MS)).toBe('expired');
});

it('a transaction in the ledger does not expire when the chain stalled after the unreported block', async () => {
  const receipt = { outcome: { status: 'success' } } as LedgerTransaction['receipt'];
  const { statusAfter } = watched(new Map([[ID, { height: 7 as never, index: 3, receipt }]]));
  await statusAfter(EXPIRY_MS - 50_000, { missed: 1 });
  expect(await statusAfter(EXPIRY_MS + 3_600_000)).toBe('final');
});
