import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from './guide.ts';
import { EPOCH_GUIDES, GUIDES, testGuides } from './guides.ts';

testGuides(GUIDES);

test('every guide with commands is tested', async () => {
  const folder = join(import.meta.dirname, '../../docs/operators');
  const pages = (await readdir(folder)).filter((name) => name.endsWith('.md'));
  const runnable: string[] = [];
  for (const page of pages) {
    if (blocksOf(await readFile(join(folder, page), 'utf8')).length > 0) runnable.push(page);
  }
  expect(runnable.sort()).toEqual([...GUIDES, ...EPOCH_GUIDES].map(({ guide }) => guide).sort());
});
