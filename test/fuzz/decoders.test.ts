/** A short `npm run fuzz:decoders`: damage is refused with a message, nothing throws, only the own encoding is accepted. */
import { describe, expect, test } from 'vitest';
import { allDecoders } from './all-decoders.ts';
import { fuzz } from './play.ts';

const COUNT = 3_000;

describe('decoders of foreign input', async () => {
  const decoders = await allDecoders();

  test.each(decoders.map((decoder) => [decoder.name, decoder] as const))('%s', (_, decoder) => {
    const { faults, taken } = fuzz(decoder, COUNT, 'ci', () => 0);
    expect(faults).toEqual([]);
    // Damage must pass the first checks.
    expect(taken).toBeGreaterThan(0);
  });
});

test('a decoder that throws, or accepts bytes that it would not encode, is reported with the bytes', () => {
  const sample = Uint8Array.of(1, 2, 3);
  const throwing = { name: 'throws', samples: [sample], judge: (bytes: Uint8Array) => ({ taken: isWhole(bytes) }) };
  expect(fuzz(throwing, 100, 1, () => 0).faults[0]).toMatch(/^throws cut at [0-9]+: [0-9a-f]*$/);
  const blind = { name: 'blind', samples: [sample], judge: () => ({ taken: true, fault: 'takes anything' }) };
  expect(fuzz(blind, 100, 1, () => 0).faults).toContain('takes anything: 010203');
});

function isWhole(bytes: Uint8Array): boolean {
  if (bytes.length < 3) throw new Error(`cut at ${bytes.length}`);
  return true;
}
