import { describe, expect, it } from 'vitest';
import { createUsage } from '../src/applications/usage.ts';
import { accountStateKey, stateKey } from '../src/state-keys.ts';
import { account } from './builders.ts';

const LIMITS = { reads: 100, writes: 100, bytes: 100 };
const entry = (number: number) => stateKey(Uint8Array.of(0x74, 0, 0, 0, number));
const balance = (number: number) => accountStateKey(account(number));

describe('A4: keys of a call', () => {
  it.each([3, 8, 9, 40])('have one number each, however often they are named: %i', (count) => {
    const usage = createUsage();
    usage.begin(LIMITS);
    const keys = Array.from({ length: count }, (_, i) => i);
    const name = (i: number) => usage.numberOf(i % 2 === 0 ? entry(i) : balance(i), i % 2 === 1);
    expect(keys.map(name)).toEqual(keys);
    expect(keys.toReversed().map(name)).toEqual(keys.toReversed());
    expect(usage.keys()).toHaveLength(count);
  });

  it('are forgotten by the next call', () => {
    const usage = createUsage();
    for (let call = 0; call < 2; call++) {
      usage.begin(LIMITS);
      for (let i = 20; i > 0; i--) expect(usage.numberOf(entry(i), false)).toBe(20 - i);
    }
  });
});
