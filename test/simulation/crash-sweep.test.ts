import { expect, it } from 'vitest';
import { play } from './runs.ts';
import { BOUNDARY_EVENTS_MAX } from './scenarios/boundary-crashes.ts';
import { EVENTS_MAX } from './scenarios/crash-sweep.ts';

/** The event varies fastest: one point of each node, and again with early votes. */
const HALF = 32;
const BOUNDARY_HALF = 40;

it.each([0, 1, 2, 3, HALF, HALF + 1, HALF + 2, HALF + 3])(
  'the crash sweep covers the last events of each member: point %i from the end',
  async (variant) => {
    const seed = variant * EVENTS_MAX + EVENTS_MAX - 1;
    expect((await play({ scenario: 'crash-sweep', size: 4, seed, realBls: false })).failure).toBeUndefined();
  },
);

it.each([0, 1, 2, 3, 4, BOUNDARY_HALF, BOUNDARY_HALF + 1, BOUNDARY_HALF + 2, BOUNDARY_HALF + 3, BOUNDARY_HALF + 4])(
  'the crash sweep over a boundary covers the last events of each node: point %i from the end',
  async (variant) => {
    const seed = variant * BOUNDARY_EVENTS_MAX + BOUNDARY_EVENTS_MAX - 1;
    expect((await play({ scenario: 'boundary-crash-sweep', size: 4, seed, realBls: false })).failure).toBeUndefined();
  },
);
