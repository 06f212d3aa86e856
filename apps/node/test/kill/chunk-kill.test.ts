/** kill -9 while chunks are written, a file is created, and one is removed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDisk } from '@slipstream/platform';
import { expect, test } from 'vitest';
import { chunksOf, HEIGHTS, KEPT_HEIGHTS, live, openFiles } from './chunk-life.ts';
import { liveInProcess } from './dying-process.ts';

const LIFE_MS_MAX = 60_000;
/** Four heights per file, fifteen retained, and the open file. */
const FILES_MAX = 6;

test.each([
  ['a block is written', 'write', 30],
  ['a block is synced', 'sync', 33],
  ['a file is made', 'sync-directory', 3],
  ['a file is removed', 'remove', 2],
  ['the removal is synced', 'sync-directory', 9],
] as const)(
  'a process killed as %s keeps its durable chunks, and continues',
  async (_, operation, nth) => {
    for (const when of ['before', 'after'] as const) {
      const root = await mkdtemp(join(tmpdir(), 'slipstream-kill-'));
      const kept = await liveInProcess('chunk-process.ts', root, [operation, 'chunk-files', `${nth}`, when]);
      expect(kept).toBeGreaterThan(0);
      const logged: string[] = [];
      const disk = createDisk({ root });
      const files = await openFiles(root, disk, logged);
      for (let height = Math.max(1, kept - KEPT_HEIGHTS + 1); height <= kept; height++) {
        for (const { chunkId, bytes } of chunksOf(height)) expect(await files.get(chunkId)).toEqual(bytes);
      }
      await live(files, kept, () => {});
      await files.close();
      const again = await openFiles(root, disk, logged);
      for (let height = HEIGHTS - KEPT_HEIGHTS + 1; height <= HEIGHTS; height++) {
        for (const { chunkId, bytes } of chunksOf(height)) expect(await again.get(chunkId)).toEqual(bytes);
      }
      expect((await disk.list('chunk-files')).length).toBeLessThanOrEqual(FILES_MAX);
      expect(logged).toEqual([]);
      await again.close();
      await rm(root, { recursive: true });
    }
  },
  LIFE_MS_MAX,
);
