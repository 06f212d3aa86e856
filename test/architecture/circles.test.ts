import { expect, it } from 'vitest';
import { findCircles } from './circles.ts';
import { readRepository } from './repository.ts';

it('has no circles of imports, types included', () => {
  expect(findCircles(readRepository())).toEqual([]);
});

it('finds a circle through a type import, and none in a chain', () => {
  const chain = [
    { path: 'a.ts', text: `import { b } from './b.ts';\nexport const a = b;` },
    { path: 'b.ts', text: `export const b = 1;` },
  ];
  expect(findCircles(chain)).toEqual([]);
  const circle = [
    { path: 'x/a.ts', text: `import { b } from './b.ts';\nexport const a = b;\nexport type A = number;` },
    { path: 'x/b.ts', text: `import type { C } from './c.ts';\nexport const b: C = 1;` },
    { path: 'x/c.ts', text: `import type { A } from './a.ts';\nexport type C = A;` },
  ];
  expect(findCircles(circle)).toEqual(['x/a.ts <-> x/b.ts <-> x/c.ts']);
});
