import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** npm passes SIGTERM and SIGINT to a script's shell only; with exec the program replaces the shell. */
it('every script is the bootstrap in place of its shell, so that a signal to npm reaches the program', () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const { scripts } = manifest as { readonly scripts: Readonly<Record<string, string>> };
  const expected = Object.keys(scripts).map((name) => [name, `exec node scripts/bootstrap.mjs ${name}`]);
  expect(Object.entries(scripts)).toEqual(expected);
});
