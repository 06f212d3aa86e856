/** Rule 5a: a chain on which too many refuse to sign walks through what they refuse. */
import { GENESIS_EPOCH, height } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { LOCAL_OPTIONS } from '../src/index.ts';
import {
  blockOn,
  type CoreWorld,
  certificateOf,
  createCoreWorld,
  finalize,
  GENESIS,
  nullify,
  peerOf,
  proposalOf,
  voteOf,
} from './core-world.ts';

const REFUSED = 70;
const recovering = { refuseUpToView: REFUSED, nullifyUpToView: REFUSED };

/** Member 0 lost its log; the others are the test's to play. */
function lostWorld(setting: Partial<typeof recovering> = recovering, weights: readonly number[] = [1, 1, 1, 1]) {
  return createCoreWorld({ weights, cores: [0], setting: () => setting });
}

function nullifiedBy(world: CoreWorld, at: number, members: readonly number[]): void {
  for (const member of members) world.give(0, member, { votes: [voteOf(nullify(at), member)] });
}

function heartbeats(world: CoreWorld, refusing: readonly number[]): void {
  for (const member of [1, 2, 3]) {
    const refusedView = refusing.includes(member) ? REFUSED : 0;
    const heartbeat = {
      epoch: GENESIS_EPOCH,
      view: 1,
      finalizedHeight: height(0),
      committedHeight: height(0),
      refusedView,
    };
    world.step(0, { type: 'heartbeat', from: peerOf(member), heartbeat });
  }
}

describe('rule 5a: a validator that lost its log', () => {
  it('nullifies a refused view once the validators that have not nullified it are no quorum', () => {
    const world = lostWorld();
    nullifiedBy(world, 1, [1]);
    world.pass(30_000);
    expect(world.votes(0)).toEqual([]);
    nullifiedBy(world, 1, [2]);
    expect(world.votes(0)).toEqual([nullify(1)]);
  });

  it.each([
    [[1, 1, 1, 1, 1, 1, 1], [1, 2], [3]],
    [[4, 2, 2, 3], [1], [2]],
    [[1, 1, 1], [], [1]],
  ])('counts weights: of %o it waits with %o, and continues with %o', (weights, first, then) => {
    const world = lostWorld(recovering, weights);
    nullifiedBy(world, 1, first);
    expect(world.votes(0)).toEqual([]);
    nullifiedBy(world, 1, then);
    expect(world.votes(0)).toEqual([nullify(1)]);
  });

  it('nullifies only with the consent of its operator, and only up to the view given there', () => {
    for (const nullifyUpToView of [0, 4]) {
      const world = lostWorld({ refuseUpToView: REFUSED, nullifyUpToView });
      world.give(0, 1, { certificates: [certificateOf(nullify(4), [1, 2, 3])] });
      nullifiedBy(world, 5, [1, 2]);
      world.pass(30_000);
      expect(world.votes(0)).toEqual([]);
    }
  });

  it('leaves out views for which a peer holds its Finalize', () => {
    const world = lostWorld();
    world.step(0, { type: 'signing-enabled', finalizedUpToView: 2 });
    nullifiedBy(world, 1, [1, 2]);
    expect(world.votes(0)).toEqual([]);
    world.give(0, 1, { certificates: [certificateOf(nullify(2), [1, 2, 3])] });
    nullifiedBy(world, 3, [1, 2]);
    expect(world.votes(0)).toEqual([nullify(3)]);
  });

  it('votes for no block of a refused view and finalizes none, and does both above', () => {
    const world = lostWorld();
    const at = [2, 3].find((each) => world.leaderOf(each) !== 0) as number;
    const leader = world.leaderOf(at);
    const nullified = [1, 2].filter((each) => each < at).map((each) => certificateOf(nullify(each), [1, 2, 3]));
    const block = blockOn(GENESIS, at, leader);
    world.givePropose(0, leader, proposalOf('normal', block, nullified));
    const notarization = certificateOf({ ...finalize(block), kind: 'notarize' } as const, [1, 2, 3]);
    world.give(0, 1, { certificates: [notarization] });
    world.pass(5_000);
    expect(world.votes(0)).toEqual([]);
    world.give(0, 1, { certificates: [certificateOf(nullify(REFUSED), [1, 2, 3])] });
    world.pass(60_000);
    expect(world.votes(0).map(({ view }) => view)).toContain(REFUSED + 1);
  });
});

describe('T4: a view that so many refuse that the rest is no quorum', () => {
  it.each([
    [[2, 3], LOCAL_OPTIONS.minViewMs],
    [[2], LOCAL_OPTIONS.leaderTimeoutMs],
  ])('is nullified by a validator whose log is whole once it cannot be notarized: %o refuse', (refusing, atMs) => {
    const world = createCoreWorld({ cores: [0] });
    heartbeats(world, refusing);
    const at = [2, 3, 4].find((each) => world.leaderOf(each) !== 0) as number;
    world.give(0, 1, { certificates: [certificateOf(nullify(at - 1), [1, 2, 3])] });
    const multiplier = refusing.length > 1 ? 1 : 1.5;
    world.pass(atMs * multiplier - 1);
    expect(world.votes(0)).not.toContainEqual(nullify(at));
    world.pass(1);
    expect(world.votes(0)).toContainEqual(nullify(at));
  });

  it('is reported by heartbeats, in which each validator sends the views that it refuses', () => {
    const world = lostWorld();
    expect(world.effects(0, 'heartbeat')[0]?.heartbeat.refusedView).toBe(REFUSED);
    heartbeats(world, [3]);
    expect(world.core(0).status().refusedViewOf).toEqual([REFUSED, 0, 0, REFUSED]);
  });
});
