import { expect, it } from 'vitest';
import { counted } from '../src/index.ts';

it.each([
  [0, '0 full nodes'],
  [1, '1 full node'],
  [4, '4 full nodes'],
])('a count of %i has its noun in the right number', (count, text) => {
  expect(counted(count, 'full node')).toBe(text);
});
