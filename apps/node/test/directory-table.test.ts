/** The account directory on its way to the main thread: whole at the opening. */
import { encodeRegistration, type Registration } from '@slipstream/execution';
import { concatBytes, sha256, uint32le } from '@slipstream/primitives';
import { ed25519Account } from '@slipstream/types';
import { expect, test } from 'vitest';
import { loadDirectory } from '../src/executor/directory-table.ts';

/** Two at each height from 1 on. */
const registration = (index: number): Registration => ({
  account: ed25519Account(sha256(uint32le(index))),
  blsKey: new Uint8Array(96).fill(index % 251),
  height: 1 + Math.floor(index / 2),
});

test('it is loaded page by page, with its sizes at earlier heights', async () => {
  const all = Array.from({ length: 25 }, (_, index) => registration(index));
  const asked: number[] = [];
  const columns = await loadDirectory(20, async (from) => {
    asked.push(from);
    const page = all.slice(from, from + 10);
    return page.length === 0 ? undefined : concatBytes(...page.map(encodeRegistration));
  });
  expect(asked).toEqual([0, 10, 20, 25]);
  expect([0, 1, 7, 12, 13, 20, 21].map((height) => columns.viewAt(height)?.size)).toEqual([
    ...[0, 2, 14, 24, 25, 25],
    undefined,
  ]);
  expect(columns.viewAt(20)?.accountKey(24)).toEqual(all[24]?.account.bytes);
});
