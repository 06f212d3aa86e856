import { expect, test } from 'vitest';
import { run } from '../bench/wal.ts';

test('the bench counts 52 syncs a round where every write is synced, and one where the round is one group commit', async () => {
  const drawn: string[] = [];
  const claims = new Map(
    (await run({ smoke: true, draw: ({ title }) => void drawn.push(title) })).map(({ name, value }) => [name, value]),
  );
  expect(claims.get('syncs_all')).toBe(52);
  expect(claims.get('syncs_two_steps')).toBe(2);
  expect(claims.get('syncs_selective')).toBe(1);
  expect(drawn).toEqual(['A round of 50 parts', 'A record of the log by size']);
  for (const name of ['time_ratio', 'round_selective_ms', 'sync_ms', 'write_512_us', 'synced_write_50k_ms'])
    expect(claims.get(name)).toBeGreaterThan(0);
});
