import { expect, it } from 'vitest';
import { findUnusedExports } from './exports.ts';
import { readRepository } from './repository.ts';

it('has no export that only its own file uses', () => {
  expect(findUnusedExports(readRepository())).toEqual([]);
});

it('finds an export without users, also behind an index', () => {
  const file = (path: string, text: string) => ({ path: `packages/x/src/${path}`, text });
  const files = [
    file(
      'a.ts',
      'export function used() {}\nexport function alone() {}\nexport const passed = 1;\nexport interface Shape {}',
    ),
    file('b.ts', "import { used } from './a.ts';\nused();"),
    file('index.ts', "export { passed } from './a.ts';"),
  ];
  expect(findUnusedExports(files)).toEqual([
    'packages/x/src/a.ts alone',
    'packages/x/src/a.ts passed',
    'packages/x/src/a.ts Shape',
  ]);
});
