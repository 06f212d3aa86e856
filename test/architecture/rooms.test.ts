import { expect, it } from 'vitest';
import { readRepository } from './repository.ts';
import { findImportsOfAssembly } from './rooms.ts';

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
