import { TRANSACTION_LIFE_MS_MAX, type Units } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeeClass } from '../../src/pool/fee-class.ts';
import { createFeeClassQueues, type OfferResult } from '../../src/pool/fee-classes.ts';
import type { PoolTransaction } from '../../src/pool/pool-transaction.ts';
import { selectTransactions } from '../../src/producer/chunk-builder.ts';
import { START_MS } from '../harness/start-time.ts';

/** Room for 100 transactions of size 1. */
const BLOCK: Units = [10_000, 100, 100, 100, 100];

let made = 0;

function entry(feeClass: FeeClass, size = 1): PoolTransaction {
  const id = String(++made) as PoolTransaction['id'];
  return {
    bytes: new Uint8Array(10),
    id,
    feeClass,
    sender: id,
    peer: undefined,
    arrivedMs: 0,
    units: [10, size, 0, 0, 0],
    expiryMs: START_MS + TRANSACTION_LIFE_MS_MAX,
  } as unknown as PoolTransaction;
}

function some(count: number, feeClass: FeeClass, size = 1): readonly PoolTransaction[] {
  return Array.from({ length: count }, () => entry(feeClass, size));
}

function queuesOf(entries: readonly PoolTransaction[]) {
  const queues = createFeeClassQueues(() => BLOCK);
  for (const [at, one] of entries.entries()) queues.add(one, at);
  return queues;
}

/** Packs what fits into `room` and removes it, as a chunk does. */
function pack(queues: ReturnType<typeof createFeeClassQueues>, room: number): readonly PoolTransaction[] {
  const taken: PoolTransaction[] = [];
  let left = room;
  queues.offer((one): OfferResult => {
    const size = one.units[1] as number;
    if (size > left) return 'passed';
    left -= size;
    taken.push(one);
    return 'taken';
  });
  for (const { id } of taken) queues.remove(id);
  return taken;
}

function letters(entries: readonly PoolTransaction[]): string {
  return entries.map(({ feeClass }) => feeClass[0]).join('');
}

function sizeOf(entries: readonly PoolTransaction[], feeClass: FeeClass): number {
  return entries.filter((one) => one.feeClass === feeClass).reduce((sum, { units }) => sum + (units[1] as number), 0);
}

const anyClass = fc.constantFrom<FeeClass>('urgent', 'ordinary');

describe('fee classes', () => {
  it('give three of four places to urgent ones while both wait, in order of arrival within each', () => {
    const [ordinary, urgent] = [some(12, 'ordinary'), some(12, 'urgent')];
    const packed = pack(queuesOf([...ordinary, ...urgent]), 100);
    expect(letters(packed)).toBe('uouuuouuuouuuouuoooooooo');
    expect(packed.filter(({ feeClass }) => feeClass === 'urgent')).toEqual(urgent);
    expect(packed.filter(({ feeClass }) => feeClass === 'ordinary')).toEqual(ordinary);
  });

  it('keep the shares over chunks of one transaction each: the count continues from chunk to chunk', () => {
    const queues = queuesOf([...some(8, 'ordinary'), ...some(8, 'urgent')]);
    expect(letters(Array.from({ length: 9 }, () => pack(queues, 1)).flat())).toBe('uouuuouuu');
  });

  it('count block capacity: three large ones do not count as three small ones', () => {
    const queues = queuesOf([...some(40, 'ordinary'), ...some(10, 'urgent', 12)]);
    const packed = pack(queues, 64);
    expect([sizeOf(packed, 'urgent'), sizeOf(packed, 'ordinary')]).toEqual([48, 16]);
  });

  it('make no class wait for a transaction that does not fit: its turn stays until one of it was packed', () => {
    const huge = some(50, 'ordinary', 90);
    const queues = queuesOf([...huge, ...some(20, 'ordinary'), ...some(60, 'urgent')]);
    for (let chunk = 0; chunk < 3; chunk++) expect(sizeOf(pack(queues, 20), 'ordinary')).toBeGreaterThanOrEqual(5);
  });

  it('save up no turns for a class without a ready transaction, or without one that fits', () => {
    const queues = queuesOf([...some(500, 'urgent'), entry('ordinary', 90)]);
    for (let chunk = 0; chunk < 10; chunk++) expect(letters(pack(queues, 20))).toBe('u'.repeat(20));
    for (const one of some(100, 'ordinary')) queues.add(one, 0);
    expect(letters(pack(queues, 8))).toBe('ouuuouuu');
  });

  it('are one queue in order of arrival when all are of one class, whichever are removed', () => {
    fc.assert(
      fc.property(anyClass, fc.array(fc.nat(40)), (feeClass, removed) => {
        const all = some(40, feeClass);
        const queues = queuesOf(all);
        let left = all;
        for (const at of removed) {
          queues.remove(all[at]?.id ?? '');
          left = left.filter((one) => one !== all[at]);
          expect(queues.oldestSinceMs).toBe(left[0] && all.indexOf(left[0]));
        }
        expect(queues.count).toBe(left.length);
        expect(pack(queues, 100)).toEqual(left);
      }),
    );
  });

  it('starve no class and keep the order within a class, for any arrivals, sizes and chunks', () => {
    const arrival = fc.record({ feeClass: anyClass, size: fc.integer({ min: 1, max: 8 }) });
    const step = fc.record({ arrivals: fc.array(arrival, { maxLength: 12 }), room: fc.integer({ min: 8, max: 40 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const queues = createFeeClassQueues(() => BLOCK);
        const waiting: Record<FeeClass, PoolTransaction[]> = { urgent: [], ordinary: [] };
        let since = { urgent: 0, ordinary: 0 };
        for (const { arrivals, room } of steps) {
          for (const { feeClass, size } of arrivals) {
            const one = entry(feeClass, size);
            queues.add(one, 0);
            waiting[feeClass].push(one);
          }
          const [urgent, ordinary] = [waiting.urgent[0], waiting.ordinary[0]];
          const packed = pack(queues, room);
          const had = { urgent: sizeOf(packed, 'urgent'), ordinary: sizeOf(packed, 'ordinary') };
          if (urgent === undefined || ordinary === undefined) since = { urgent: 0, ordinary: 0 };
          else {
            since = { urgent: since.urgent + had.urgent, ordinary: since.ordinary + had.ordinary };
            // At the latest after the other class had its share for one, and the rest of one chunk.
            if (!packed.includes(ordinary)) expect(since.urgent).toBeLessThanOrEqual(3 * 8 + 8 + 40);
            else since.urgent = 0;
            if (!packed.includes(urgent)) expect(since.ordinary).toBeLessThanOrEqual(8 + 8 + 40);
            else since.ordinary = 0;
          }
          for (const feeClass of ['urgent', 'ordinary'] as const) {
            const ofClass = packed.filter((one) => one.feeClass === feeClass);
            const order = ofClass.map((one) => waiting[feeClass].indexOf(one));
            expect(order).toEqual(order.toSorted((a, b) => a - b));
            waiting[feeClass] = waiting[feeClass].filter((one) => !ofClass.includes(one));
          }
        }
      }),
    );
  });

  it('keep the shares within the size of two transactions while both always wait', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 200, maxLength: 200 });
    fc.assert(
      fc.property(sizes, sizes, fc.integer({ min: 8, max: 40 }), (urgent, ordinary, room) => {
        const entries = [
          ...urgent.map((size) => entry('urgent', size)),
          ...ordinary.map((size) => entry('ordinary', size)),
        ];
        const queues = queuesOf(entries);
        const packed: PoolTransaction[] = [];
        // Stops at the first that does not fit; skipping is not tested here.
        for (let chunk = 0; chunk < 10; chunk++) {
          const taken: PoolTransaction[] = [];
          let left = room;
          queues.offer((one): OfferResult => {
            if ((one.units[1] as number) > left) return 'enough';
            left -= one.units[1] as number;
            taken.push(one);
            return 'taken';
          });
          for (const { id } of taken) queues.remove(id);
          packed.push(...taken);
          const beyond = sizeOf(packed, 'urgent') - 3 * sizeOf(packed, 'ordinary');
          expect(beyond).toBeLessThanOrEqual(8);
          expect(beyond).toBeGreaterThanOrEqual(-3 * 8);
        }
      }),
    );
  });

  it('are offered to a chunk up to its maximum, and those not selected keep their turn', () => {
    const queues = queuesOf([...some(4, 'ordinary'), ...some(4, 'urgent')]);
    const selection = { timestampMs: START_MS, transactionsMax: 1, unitsLeft: BLOCK, bytesMax: 100_000 };
    expect(selectTransactions(queues, { ...selection, unitsLeft: [0, 0, 0, 0, 0] }).transactions).toEqual([]);
    expect(selectTransactions(queues, selection).transactions).toHaveLength(1);
    expect(letters(pack(queues, 100))[0]).toBe('o');
  });

  it('are not passed over for ever: the oldest, if it is too large for a chunk beside others, has its turn alone', () => {
    const share: Units = [10_000, 25, 100, 100, 100];
    const selection = {
      timestampMs: START_MS,
      transactionsMax: 10,
      unitsLeft: share,
      bytesMax: 100_000,
      unitsAlone: BLOCK,
    };
    const sizesIn = (...sizes: readonly number[]) => {
      const queues = queuesOf(sizes.map((size) => entry('ordinary', size)));
      return selectTransactions(queues, selection).transactions.map(({ units }) => units[1]);
    };
    expect(sizesIn(60, 1, 1)).toEqual([]);
    expect(sizesIn(1, 60, 1)).toEqual([1, 1]);
    expect(sizesIn(101, 1, 1)).toEqual([1, 1]);
  });
});
