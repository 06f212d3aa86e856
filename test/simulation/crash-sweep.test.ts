import { expect, it } from 'vitest';
import { play } from './runs.ts';
import { EVENTS_MAX } from './scenarios/crash-sweep.ts';

/** The event varies fastest: one point of each member, and again with early votes. */
const LAST = EVENTS_MAX - 1;
const HALF = 32;

it.each([0, 1, 2, 3, HALF, HALF + 1, HALF + 2, HALF + 3])(
  'the crash sweep covers the last events of each member: point %i from the end',
  async (variant) => {
    const seed = variant * EVENTS_MAX + LAST;
    expect((await play({ scenario: 'crash-sweep', size: 4, seed, realBls: false })).failure).toBeUndefined();
  },
);
