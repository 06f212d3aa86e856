/** Bit flips and cuts: what is damaged is named and not here, and never another chunk. */
import { bytesEqual } from '@slipstream/primitives';
import { describe, expect, test } from 'vitest';
import { blockOf, copyOf, type Machine, newMachine, open } from './builders.ts';

const SEGMENT = { segmentBytesMax: 500 };
const HEIGHTS = 4;
const CHUNKS = Array.from({ length: HEIGHTS }, (_, i) => blockOf(i + 1)).flat();

/** Two files: one that is full and one that is written to. */
async function filled(): Promise<Machine> {
  const machine = newMachine();
  const files = await open(machine, SEGMENT);
  for (let height = 1; height <= HEIGHTS; height++) await files.put(height, blockOf(height));
  await files.close();
  expect(machine.disk.paths()).toHaveLength(2);
  return machine;
}

/** Counts the readable chunks, compares each, and puts another one. */
async function countAndContinue(machine: Machine): Promise<number> {
  const files = await open(machine, SEGMENT, 'again');
  let here = 0;
  for (const { chunkId, bytes } of CHUNKS) {
    const found = await files.get(chunkId);
    if (found === undefined) continue;
    expect(bytesEqual(found, bytes)).toBe(true);
    here += 1;
  }
  await files.put(HEIGHTS + 1, blockOf(HEIGHTS + 1));
  await files.close();
  const again = await open(machine, SEGMENT, 'once more');
  for (const { chunkId, bytes } of blockOf(HEIGHTS + 1)) expect(await again.get(chunkId)).toEqual(bytes);
  return here;
}

describe.each([
  ['with its index', true],
  ['without its index', false],
])('a file with a flipped bit, %s', (_, withIndex) => {
  test('lacks at most the chunk at that place, and names it', async () => {
    const machine = await filled();
    for (const [at, path] of machine.disk.paths().entries()) {
      const bytes = machine.disk.contents(path) as Uint8Array;
      for (let bit = 0; bit < 8 * bytes.length; bit += 3) {
        const flipped = bytes.slice();
        flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
        const damaged = await copyOf(machine, { withIndex });
        damaged.disk.replaceContents(path, flipped);
        const here = await countAndContinue(damaged);
        const inHeader = bit < 8 * 64;
        const lost = inHeader ? (withIndex ? 0 : CHUNKS.length / 2) : 1;
        expect([bit, here]).toEqual([bit, CHUNKS.length - lost]);
        // The header of a file that is full is needed for nothing but an index that is lost.
        const isNamed = lost > 0 || at === 1;
        expect(damaged.logged.filter((line) => line.includes(path))).toHaveLength(isNamed ? 1 : 0);
      }
    }
  });
});

describe('a truncated file', () => {
  test('at any byte, with an index that is behind, holds the chunks before the cut', async () => {
    const machine = await filled();
    const path = machine.disk.paths()[1] as string;
    const bytes = machine.disk.contents(path) as Uint8Array;
    const recordBytes = (bytes.length - 64) / 4;
    for (let length = 0; length < bytes.length; length++) {
      const cut = await copyOf(machine, { withIndex: false });
      cut.disk.replaceContents(path, bytes.subarray(0, length));
      const whole = Math.max(0, Math.floor((length - 64) / recordBytes));
      expect(await countAndContinue(cut)).toBe(CHUNKS.length / 2 + whole);
    }
  });

  test('below the indexed length is reported, and the chunks before the cut are there', async () => {
    const machine = await filled();
    const path = machine.disk.paths()[1] as string;
    const bytes = machine.disk.contents(path) as Uint8Array;
    const cut = await copyOf(machine);
    cut.disk.replaceContents(path, bytes.subarray(0, bytes.length - 1));
    expect(await countAndContinue(cut)).toBe(CHUNKS.length - 1);
    expect(cut.logged[0]).toContain(`it has ${bytes.length - 1} bytes, and had ${bytes.length}`);
  });

  test('that is missing altogether is reported once, at the opening', async () => {
    const machine = await filled();
    const path = machine.disk.paths()[0] as string;
    machine.disk.removeContents(path);
    expect(await countAndContinue(machine)).toBe(CHUNKS.length / 2);
    expect(machine.logged.filter((line) => line.includes(path))).toEqual([
      expect.stringContaining('the file is missing'),
    ]);
  });
});
