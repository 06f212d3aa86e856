import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** npm passes SIGTERM and SIGINT to the shell of a script only. With exec the program takes the place of the shell. */
it('every script that runs the bootstrap replaces its shell, so that a signal to npm reaches the program', () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const { scripts } = manifest as { readonly scripts: Readonly<Record<string, string>> };
  const started = Object.entries(scripts).filter(([, command]) => command.includes('scripts/bootstrap.mjs'));
  expect(started.map(([name]) => name)).toEqual(expect.arrayContaining(['node', 'devnet', 'chaos', 'loadgen']));
  expect(started.filter(([, command]) => !command.startsWith('exec ')).map(([name]) => name)).toEqual([]);
});
