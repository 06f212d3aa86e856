/** Values of events, as the recorder writes them. */
import { expect, it } from 'vitest';
import { ValueReader } from '../src/value-reader.ts';
import { ValueWriter } from '../src/value-writer.ts';

function readAgain(value: unknown): unknown {
  const writer = new ValueWriter();
  writer.write(value);
  const reader = new ValueReader();
  reader.open(writer.take());
  return reader.read();
}

it.each([
  ['prices of an epoch record', { prices: [0n, 1n, 2n ** 64n - 1n, -5n], limits: [1, 2] }],
  ['bytes, maps and sets', new Map([['a', new Set([new Uint8Array([1, 2])])]])],
  ['nothing', { a: undefined, b: null, c: false }],
])('%s are read as they were written', (_, value) => {
  expect(readAgain(value)).toEqual(value);
});

it('a bigint that is no number is unreadable', () => {
  const writer = new ValueWriter();
  writer.write(12n);
  const bytes = Uint8Array.from(writer.take(), (byte) => (byte === 0x31 ? 0x78 : byte));
  const reader = new ValueReader();
  reader.open(bytes);
  expect(() => reader.read()).toThrow('a bigint is no number');
});
