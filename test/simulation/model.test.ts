import { describe, expect, it } from 'vitest';
import { checkBoundary, checkVoting } from './model/check.ts';

/** `npm run sim -- --model` explores three. */
const voting = [...checkVoting(2)];

describe('the model of the voting rules', () => {
  it.each(voting)('$name: $about', ({ asExpected, violation }) => {
    expect(asExpected, violation?.history.join('; ')).toBe(true);
  });
});

/** `npm run sim -- --model --long` explores more. */
const boundary = [...checkBoundary(false)];

describe('the model of the boundary between epochs', () => {
  it.each(boundary)('$name: $about', ({ asExpected, states, violation }) => {
    expect(asExpected, `${states} states; ${violation?.history.join('; ')}`).toBe(true);
  });
});
