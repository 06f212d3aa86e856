import { describe, expect, it } from 'vitest';
import { checkModel } from './model/check.ts';

/** `npm run sim -- --model` explores three. */
const results = [...checkModel(2)];

describe('the model of the voting rules', () => {
  it.each(results)('$variant.name: $variant.about', ({ asExpected, violation }) => {
    expect(asExpected, violation?.history.join('; ')).toBe(true);
  });
});
