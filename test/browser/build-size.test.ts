/** Size of what a browser fetches before the first view: the page, its files, the stream's worker. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { consoleFolder } from '@slipstream/checkout';
import { expect, test } from 'vitest';

const FIRST_LOAD_BYTES_MAX = 310_000;

test('the first load of the built console is below 310 kB, compressed either way', async () => {
  const folder = consoleFolder();
  if (folder === undefined) throw new Error('the console is not built: npm run test:browser builds it');
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\/?(assets\/[^"]+)"/g)].flatMap(([, name]) => name ?? []);
  const workers = (await readdir(join(folder, 'assets'))).filter((name) => /^worker-.*\.js$/.test(name));
  expect(named.length).toBeGreaterThanOrEqual(2);
  expect(workers.length).toBeGreaterThanOrEqual(1);
  const files = ['index.html', ...named, ...workers.map((name) => `assets/${name}`)];
  const contents = await Promise.all(files.map((name) => readFile(join(folder, name))));
  for (const compress of [gzipSync, brotliCompressSync]) {
    const bytes = contents.reduce((sum, content) => sum + compress(content).length, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  }
});

test('workers of the built console are those that its pages start', async () => {
  const folder = consoleFolder();
  if (folder === undefined) throw new Error('the console is not built: npm run test:browser builds it');
  const names = (await readdir(join(folder, 'assets'))).flatMap((name) => /^(.*worker)-.*\.js$/.exec(name)?.[1] ?? []);
  expect(names.toSorted()).toEqual(['fleet-worker', 'verify-worker', 'worker']);
});
