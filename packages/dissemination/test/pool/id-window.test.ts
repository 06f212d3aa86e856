/** Compares the window with a plain list. */
import { sha256, toHex, uint32le } from '@slipstream/primitives';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createIdWindow } from '../../src/pool/id-window.ts';

const HASH_KEY = new Uint8Array(8).fill(5);
const ids = Array.from({ length: 5_000 }, (_, i) => toHex(sha256(uint32le(i))));

it('holds the added ids until they are forgotten, oldest first, for any sequence', () => {
  const step = fc.record({ add: fc.nat(900), forget: fc.nat(900) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const window = createIdWindow(HASH_KEY);
      let [from, to] = [0, 0];
      for (const { add, forget } of steps) {
        for (let i = 0; i < add && to < ids.length; i++) window.add(ids[to++] as string);
        window.forgetOldest(forget);
        from = Math.min(to, from + forget);
        expect(window.size).toBe(to - from);
        expect(ids.filter((id) => window.has(id))).toEqual(ids.slice(from, to));
      }
    }),
    { numRuns: 25 },
  );
});

it('holds an id that was added twice until the second is forgotten', () => {
  const window = createIdWindow(HASH_KEY);
  const [one, other] = ids as [string, string];
  for (const id of [one, other, one]) window.add(id);
  window.forgetOldest(2);
  expect([one, other].map(window.has)).toEqual([true, false]);
});

it('distinguishes two ids by any of their first 128 bits', () => {
  const id = ids[0] as string;
  const window = createIdWindow(HASH_KEY);
  window.add(id);
  const changedAt = (at: number) => `${id.slice(0, at)}${id[at] === '0' ? '1' : '0'}${id.slice(at + 1)}`;
  const found = Array.from({ length: 32 }, (_, at) => window.has(changedAt(at)));
  expect(found).not.toContain(true);
});
