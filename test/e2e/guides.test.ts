import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, followGuide } from './guide.ts';

/** In the order of an operator's work; the first starts its chain itself. */
const GUIDES = [
  { guide: 'run-a-node.md', running: false },
  { guide: 'start-a-chain-together.md', running: false },
  { guide: 'add-a-full-node.md', running: true },
  { guide: 'restart-and-upgrade.md', running: true },
  { guide: 'replace-a-machine.md', running: true },
  { guide: 'back-up-and-restore.md', running: true },
  { guide: 'renew-the-committee-certificate.md', running: true },
  { guide: 'recover-a-standing-chain.md', running: true },
  { guide: 'incidents.md', running: true },
  { guide: 'add-a-validator.md', running: true, fastBlocks: true },
  { guide: 'remove-a-validator.md', running: true, fastBlocks: true },
  { guide: 'replace-a-validator.md', running: true, fastBlocks: true },
  { guide: 'rotate-a-validator.md', running: true },
  { guide: 'change-parameters.md', running: true, fastBlocks: true },
];

test.for(GUIDES)('the commands of $guide have the stated results, to its end', async ({ guide, ...terms }) => {
  const { ok, output } = await followGuide(guide, terms);
  expect(ok, output.slice(-6000)).toBe(true);
  expect(output).toContain('the guide was followed to its end');
});

test('every guide with commands is tested', async () => {
  const folder = join(import.meta.dirname, '../../docs/operators');
  const pages = (await readdir(folder)).filter((name) => name.endsWith('.md'));
  const runnable: string[] = [];
  for (const page of pages) {
    if (blocksOf(await readFile(join(folder, page), 'utf8')).length > 0) runnable.push(page);
  }
  expect(runnable.sort()).toEqual(GUIDES.map(({ guide }) => guide).sort());
});
