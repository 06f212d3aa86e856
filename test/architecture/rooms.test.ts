import { expect, it } from 'vitest';
import { readRepository } from './repository.ts';
import { findImportsOfApps, findImportsOfAssembly, findUnusedRooms } from './rooms.ts';

it('keeps the rooms of the node free of its assembly', () => {
  expect(findImportsOfAssembly(readRepository())).toEqual([]);
});

it('finds an import of the assembly in the executor, types included, and none in the command line', () => {
  const text = "import type { Identity } from '../assembly/identity.ts';\n";
  const verdictOn = (path: string) => findImportsOfAssembly([{ path, text }]);
  expect(verdictOn('apps/node/src/executor/a.ts')).toEqual([
    'apps/node/src/executor/a.ts:1: ../assembly/identity.ts: the assembly is above it',
  ]);
  expect(verdictOn('apps/node/src/cli/a.ts')).toEqual([]);
});

it('lets code outside the node import its open rooms alone, and opens no unneeded room', () => {
  const files = readRepository();
  expect(findImportsOfApps(files)).toEqual([]);
  expect(findUnusedRooms(files)).toEqual([]);
});

it('finds an import of a closed room and of another app, and none of an open room or within an app', () => {
  const verdictOn = (path: string, specifier: string) =>
    findImportsOfApps([{ path, text: `import { a } from '${specifier}';\n` }]);
  expect(verdictOn('scripts/a.ts', '../apps/node/src/threads/a.ts')).toEqual([
    'scripts/a.ts:1: ../apps/node/src/threads/a.ts: import a package, or open the room with a reason',
  ]);
  expect(verdictOn('test/e2e/a.ts', '../../apps/loadgen/src/load.ts')).toHaveLength(1);
  expect(verdictOn('scripts/a.ts', '../apps/node/src/storage/a.ts')).toEqual([]);
  expect(verdictOn('apps/node/test/a.ts', '../src/threads/a.ts')).toEqual([]);
});
