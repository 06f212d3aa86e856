/** Which directory a batch is judged by: that of knownAt, or the newest if it has all indices, or none yet (Z3). */
import { sha256, uint32le } from '@slipstream/primitives';
import { ed25519Account, pseudonymAccount } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { columnsOf, createDirectoryColumns, type DirectoryColumns, type RegisteredKeys } from '../src/index.ts';
import { headerOf, row } from './world.ts';

const entry = (n: number): RegisteredKeys => ({
  account: (n % 2 === 0 ? ed25519Account : pseudonymAccount)(sha256(uint32le(n))),
  blsKey: new Uint8Array(96).fill(n % 251),
});

/** Three entries at each height up to `last`. */
function grown(last: number): DirectoryColumns {
  const columns = createDirectoryColumns();
  columns.load(0, []);
  for (let height = 1; height <= last; height++) {
    const from = columns.size();
    columns.grow(height, [entry(from), entry(from + 1), entry(from + 2)]);
  }
  return columns;
}

function viewFor(columns: DirectoryColumns, knownAt: number, highest: number) {
  const rows = [row(0, highest, 1)];
  const view = columns.viewFor({ header: headerOf(rows, { knownAt }), rows: columnsOf(rows) });
  return view.kind === 'view' ? view.directory.size : view.kind;
}

describe('a batch is judged by', () => {
  const columns = grown(2_000);

  it('the size at its knownAt, also after the directory grew', () => {
    expect(viewFor(columns, 1_500, 5)).toBe(4_500);
    expect(viewFor(columns, 1_500, 5_000)).toBe(4_500);
    expect(viewFor(columns, 2_000, 5)).toBe(6_000);
  });

  it('nothing, if no block that comes can run it', () => {
    expect(viewFor(columns, 976, 5)).toBe('too-old');
    expect(viewFor(columns, 977, 5)).toBe(2_931);
  });

  it('the newest, if knownAt is not executed here and all indices have entries; else it waits', () => {
    expect(viewFor(columns, 2_001, 5_999)).toBe(6_000);
    expect(viewFor(columns, 2_001, 6_000)).toBe('wait');
    const behind = grown(1_999);
    expect(viewFor(behind, 2_000, 5_997)).toBe('wait');
    behind.grow(2_000, [entry(5_997)]);
    expect(viewFor(behind, 2_000, 5_997)).toBe(5_998);
  });

  it('the same sizes on a node that joined as on one that followed, and nothing before it has the state', () => {
    const entries = Array.from({ length: 4_500 }, (_, n) => ({ ...entry(n), height: 1 + Math.floor(n / 3) }));
    for (const height of [1, 40, 1_023, 1_024, 1_025, 1_500]) {
      const joined = createDirectoryColumns();
      expect(viewFor(joined, 5, 0)).toBe('wait');
      joined.load(height, entries.slice(0, 3 * height));
      const followed = grown(height);
      for (const columns of [joined, followed]) columns.grow(height + 1, [entry(3 * height)]);
      for (let at = 0; at <= height + 2; at++) expect(joined.viewAt(at)?.size).toBe(followed.viewAt(at)?.size);
    }
  });
});

describe('the columns', () => {
  it('hold each key, and account keys of Ed25519 alone, whatever they grew to', () => {
    const columns = grown(1_000);
    const view = columns.viewFor({
      header: headerOf([row(0, 1, 1)], { knownAt: 1_000 }),
      rows: columnsOf([row(0, 1, 1)]),
    });
    if (view.kind !== 'view') throw new Error('knownAt is committed');
    const { keys, accountKey } = view.directory;
    for (const n of [0, 1, 1_023, 1_024, 2_998]) {
      expect(keys.subarray(96 * n, 96 * n + 96)).toEqual(entry(n).blsKey);
      expect(accountKey(n)).toEqual(n % 2 === 0 ? sha256(uint32le(n)) : undefined);
    }
    expect(accountKey(3_000)).toBeUndefined();
  });

  it('take heights one after another', () => {
    expect(() => grown(3).grow(5, [])).toThrow('follow one another');
  });
});
