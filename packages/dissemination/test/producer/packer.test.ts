import { describe, expect, it } from 'vitest';
import type { PoolTransaction } from '../../src/pool/pool-transaction.ts';
import { createPacker } from '../../src/producer/packer.ts';

const CHUNK_DELAY_MS = 25;
const CHUNK_BYTES = 1_000;
const UNITS = [1, 0, 0, 0, 0];

function harness() {
  let now = 0;
  const timers: { readonly at: number; readonly action: () => void }[] = [];
  const waiting: PoolTransaction[] = [];
  const packed: number[] = [];
  const asked = { pauses: 0 };
  const clock = {
    wallMs: () => now,
    monotonicMs: () => now,
    after(delayMs: number, action: () => void) {
      const timer = { at: now + delayMs, action };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  };
  const ready = {
    get count() {
      return waiting.length;
    },
    get bytes() {
      return waiting.reduce((sum, { bytes }) => sum + bytes.length, 0);
    },
    get oldestSinceMs() {
      return waiting[0]?.arrivedMs;
    },
    offer(judge: (entry: PoolTransaction) => string) {
      for (const entry of waiting) if (judge(entry) === 'enough') return;
    },
  };
  const parts = {
    clock,
    ready,
    batches: { count: 0, bytes: 0, oldestSinceMs: undefined, waiting: () => [] },
    builder: {
      isActive: true,
      async build({ transactions }: { readonly transactions: readonly PoolTransaction[] }) {
        packed.push(transactions.length);
        waiting.splice(0, transactions.length);
        return {};
      },
    },
    rate: { intervalMs: 300 },
    unitsMax: () => [100, 100, 100, 100, 100],
    isPaused() {
      asked.pauses += 1;
      return false;
    },
    failed: () => {},
  };
  const packer = createPacker(parts as never, {
    chunkDelayMs: CHUNK_DELAY_MS,
    chunkBytes: CHUNK_BYTES,
    chunkTransactionsMax: 100,
    blockUnits: () => [100, 100, 100, 100, 100],
    rowsMax: 0,
  });
  return {
    packed,
    asked,
    add(bytes: number) {
      const entry = { bytes: new Uint8Array(bytes), units: UNITS, expiryMs: 10_000, arrivedMs: now };
      waiting.push(entry as unknown as PoolTransaction);
      packer.added();
    },
    async pass(ms: number) {
      now += ms;
      for (const timer of timers.splice(0).filter(({ at }) => at <= now)) timer.action();
      await Promise.resolve();
    },
  };
}

describe('The packer', () => {
  it('looks at its parts once while transactions gather, and packs them together', async () => {
    const { add, pass, packed, asked } = harness();
    for (let i = 0; i < 5; i++) add(10);
    expect(asked.pauses).toBe(1);
    expect(packed).toEqual([]);
    await pass(CHUNK_DELAY_MS);
    expect(packed).toEqual([5]);
  });

  it('packs at once what fills a chunk while a timer runs', () => {
    const { add, packed } = harness();
    add(10);
    add(CHUNK_BYTES - 20);
    expect(packed).toEqual([]);
    add(10);
    expect(packed).toEqual([3]);
  });
});
