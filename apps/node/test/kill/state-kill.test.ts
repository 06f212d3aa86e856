/** V2: kill -9 in each stage of append, commit, revert and compaction. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDisk } from '@slipstream/platform';
import { toHex } from '@slipstream/primitives';
import type { StateStore } from '@slipstream/state';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { liveInProcess } from './dying-process.ts';
import { BLOCKS, batchOf, live, numberOf, openStore } from './life.ts';

const LIFE_MS_MAX = 60_000;
const folders: string[] = [];
/** After each block, of a store that was never killed. */
const checksums = new Map<number, string>();

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'slipstream-kill-'));
  folders.push(made);
  return made;
}

beforeAll(async () => {
  const store = await openStore(createDisk({ root: await folder() }));
  await live(store, (number) => void checksums.set(number, toHex(store.tip.checksum)));
  expect((await store.stats()).compactions).toBeGreaterThan(3);
  await store.close();
});

afterAll(async () => {
  for (const each of folders) await rm(each, { recursive: true });
});

function contentsAfter(number: number): Map<string, string> {
  const state = new Map<string, string>();
  for (let block = 1; block <= number; block++) {
    for (const { key, value } of batchOf(block)) {
      if (value === undefined) state.delete(toHex(key));
      else state.set(toHex(key), toHex(value));
    }
  }
  return state;
}

const contentsOf = (store: StateStore) =>
  new Map(store.entries(undefined, 1_000).map(({ key, value }) => [toHex(key), toHex(value)]));

describe('V2: a process killed with SIGKILL', () => {
  test.each([
    ['append', 'write', '.log', 20],
    ['append', 'sync', '.log', 23],
    ['commit', 'write', 'journal', 12],
    ['commit', 'sync', 'journal', 12],
    ['revert', 'truncate', '.log', 1],
    ['revert or compaction', 'remove', '.log', 2],
    ['revert or compaction', 'remove', '.log', 5],
    ['revert or compaction', 'remove', '.log', 8],
  ] as const)(
    'in %s (%s of a %s file, number %i) recovers its state, and continues identically',
    async (...death) => {
      for (const when of ['before', 'after'] as const) {
        const root = await folder();
        const lastDurable = await liveInProcess('process.ts', root, [...death.slice(1).map(String), when]);
        const store = await openStore(createDisk({ root }));
        const tip = numberOf(store.tip.block);
        expect([lastDurable, lastDurable + 1]).toContain(tip);
        expect(contentsOf(store)).toEqual(contentsAfter(tip));
        expect((await store.verify()).faults).toEqual([]);
        await live(store, (number) => expect(toHex(store.tip.checksum)).toBe(checksums.get(number)));
        expect(numberOf(store.tip.block)).toBe(BLOCKS);
        await store.close();
      }
    },
    LIFE_MS_MAX,
  );
});
