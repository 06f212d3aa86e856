/** Finalize and Certify of one view leave with the Notarize of the next where that one is about to be decided: one log sync. */
import type { Block } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { SHARED_FRAME_WAIT_MS } from '../src/options.ts';
import { createProposalArrivals, EARLY_MS } from '../src/proposal-arrivals.ts';
import { blockOn, certificateOf, certify, createCoreWorld, finalize, GENESIS, notarize } from './core-world.ts';

const SOON_MS = SHARED_FRAME_WAIT_MS - 1;

/** A member that leads none of the views in which a heavy one leads; blocks of that one reach it when the test says so. */
function setUp() {
  const weights = [17, 1, 1, 1];
  const world = createCoreWorld({ weights, cores: [3], options: { earlyVoteViews: 0 } });
  const chain: Block[] = [GENESIS];
  for (let at = 1; world.leaderOf(at) === 0; at++) chain.push(blockOn(chain[at - 1] as Block, at, 0));
  expect(chain.length).toBeGreaterThan(3);
  const block = (at: number) => chain[at] as Block;
  const propose = (at: number) => world.givePropose(3, 0, proposalAt(block(at)));
  const notarized = (at: number) => world.give(3, 0, { certificates: [certificateOf(notarize(block(at)), [0, 1])] });
  // The proposal of view 2 comes a moment after its view began, then view 2 is notarized.
  propose(1);
  notarized(1);
  world.pass(SOON_MS);
  propose(2);
  world.pass(50);
  notarized(2);
  return {
    world,
    block,
    propose,
    notarized,
    /** What each frame with votes held, oldest first. */
    frames: () =>
      world
        .effects(3, 'cast')
        .map(({ votes }) => votes)
        .filter(({ length }) => length > 0),
  };
}

const proposalAt = (block: Block) =>
  ({ kind: 'optimistic', block, justification: [], signature: Uint8Array.of(1) }) as const;

describe('a shared frame', () => {
  it('waits for a proposal that was as late the last time', () => {
    const { world, block, propose, frames } = setUp();
    world.pass(SOON_MS);
    propose(3);
    const own = [finalize(block(2)), certify(block(2)), notarize(block(3))];
    expect(frames().at(-1)).toEqual(expect.arrayContaining(own));
    expect(frames().at(-1)).toHaveLength(own.length);
  });

  it('leaves without one that does not arrive, and does not wait for that leader again', () => {
    const { world, block, propose, notarized, frames } = setUp();
    world.pass(SHARED_FRAME_WAIT_MS - 0.5);
    expect(frames().flat()).not.toContainEqual(finalize(block(2)));
    world.pass(1);
    expect(frames().flat()).toContainEqual(finalize(block(2)));
    world.pass(50);
    propose(3);
    expect(frames().at(-1)).toEqual([notarize(block(3))]);
    notarized(3);
    expect(frames().flat()).toContainEqual(finalize(block(3)));
  });
});

describe('proposal arrivals', () => {
  const late = (last: number | undefined) => {
    const arrivals = createProposalArrivals();
    arrivals.entered(1, 100, last !== undefined && last < 0 ? 100 + last : undefined);
    if (last !== undefined && last >= 0) arrivals.arrived(100 + last);
    arrivals.entered(2, 200, undefined);
    arrivals.entered(1, 300, undefined);
    return arrivals.isDue;
  };

  it.each([
    [undefined, false],
    [SHARED_FRAME_WAIT_MS, true],
    [-EARLY_MS, true],
    [SHARED_FRAME_WAIT_MS + 0.1, false],
    [-EARLY_MS - 0.1, false],
  ])('after one that arrived %s ms after its view began: due %s', (last, due) => expect(late(last)).toBe(due));

  it('is not due once the proposal is here, nor when it was here at the beginning', () => {
    const arrivals = createProposalArrivals();
    arrivals.entered(1, 100, 99);
    expect(arrivals.isDue).toBe(false);
    arrivals.entered(1, 200, undefined);
    expect(arrivals.isDue).toBe(true);
    arrivals.arrived(201);
    expect(arrivals.isDue).toBe(false);
  });
});
