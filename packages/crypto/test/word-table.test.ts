/** Against a plain list. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createWordTable, NONE, type WordTable } from '../src/word-table.ts';

const WORDS = 3;
const HASH_KEY = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);

function want({ wanted, aim }: WordTable, number: number): void {
  // So few that most are held by several slots.
  for (let i = 0; i < WORDS; i++) wanted[i] = i === number % WORDS ? number : -1;
  aim();
}

function held(table: WordTable, number: number): readonly number[] {
  want(table, number);
  const slots: number[] = [];
  for (let slot = table.find(); slot !== NONE; slot = table.findAfter(slot)) slots.push(slot);
  return slots;
}

const NUMBERS = Array.from({ length: 12 }, (_, i) => i);

it('finds every slot with the same words, the last put first, and reports the words of a removed slot as wanted', () => {
  const step = fc.record({ slot: fc.nat(15), number: fc.constantFrom(...NUMBERS) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const table = createWordTable(WORDS, 16, HASH_KEY);
      let puts: { readonly slot: number; readonly number: number }[] = [];
      for (const { slot, number } of steps) {
        const had = puts.find((put) => put.slot === slot);
        if (had) {
          table.remove(slot);
          const left = [...table.wanted];
          want(table, had.number);
          expect(left).toEqual([...table.wanted]);
          puts = puts.filter((put) => put !== had);
        } else {
          want(table, number);
          table.put(slot);
          puts.unshift({ slot, number });
        }
        for (const each of NUMBERS) {
          expect(held(table, each)).toEqual(puts.filter((put) => put.number === each).map((put) => put.slot));
        }
      }
    }),
  );
});

it('keeps its slots in order from the first when it grows', () => {
  const table = createWordTable(WORDS, 8, HASH_KEY);
  for (let slot = 0; slot < 8; slot++) {
    want(table, slot);
    table.put(slot);
  }
  table.grow(5);
  expect(table.capacity).toBe(16);
  expect(NUMBERS.map((number) => held(table, number))).toEqual([
    [3],
    [4],
    [5],
    [6],
    [7],
    [0],
    [1],
    [2],
    [],
    [],
    [],
    [],
  ]);
});

it('rejects a malformed key', () => {
  expect(() => createWordTable(WORDS, 8, HASH_KEY.subarray(1))).toThrow('a hash key has 8 bytes');
});
