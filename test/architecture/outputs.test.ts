import { expect, it } from 'vitest';
import { findOutputs } from './outputs.ts';
import { readRepository } from './repository.ts';

it('standard output and standard error of apps and scripts are written by their owner alone', () => {
  expect(findOutputs(readRepository())).toEqual([]);
});

it.each([
  ["console.log('a');", 'console.log'],
  ["console.error('a');", 'console.error'],
  ["process.stdout.write('a');", 'process.stdout'],
  ['const { columns } = process.stderr;', 'process.stderr'],
])('refuses %s', (text, name) => {
  const found = findOutputs([
    { path: 'scripts/bench/a.ts', text },
    { path: 'apps/node/src/a.ts', text },
  ]);
  expect(found).toHaveLength(2);
  expect(found[0]).toContain(name);
});

it('ignores tests, plain JavaScript and the owner', () => {
  const paths = [
    'apps/node/test/a.ts',
    'scripts/bootstrap.mjs',
    'packages/command-line/src/output.ts',
    'test/e2e/a.ts',
  ];
  expect(findOutputs(paths.map((path) => ({ path, text: 'process.stderr.write(text);' })))).toEqual([]);
});
