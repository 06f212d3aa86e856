/** Estimate of the time between blocks: a leader waits longer when recent blocks take longer (block-interval.ts). */
import { type Block, blockIdOf } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { ALL, give } from './bystander.ts';
import {
  blockOn,
  type CoreWorld,
  certificateOf,
  certify,
  createCoreWorld,
  finalize,
  GENESIS,
  notarize,
  nullify,
  peerOf,
  proposalOf,
} from './core-world.ts';

const NODE = 0;
const OTHERS = ALL.filter((member) => member !== NODE);
const FINAL_AFTER_MS = 150;
const INTERVAL_MS = 200;

/**
 * A block in each view of the others, final after 150 ms; up to the next view that the node leads. The proposals of `late` reach the node
 * a moment before what makes them final.
 */
function play(
  world: CoreWorld,
  parent: Block,
  views: number,
  late?: number,
): { readonly chain: readonly Block[]; readonly leads: number } {
  const chain: Block[] = [parent];
  let at = parent.view + 1;
  for (const end = at + views; at < end || world.leaderOf(at) !== NODE; at++) {
    const leader = world.leaderOf(at);
    if (leader === NODE) {
      give(world, NODE, OTHERS[0] as number, certificateOf(nullify(at), OTHERS));
      continue;
    }
    const block = blockOn(chain.at(-1) as Block, at, leader);
    chain.push(block);
    const arrivesAfterMs = leader === late ? FINAL_AFTER_MS - 1 : 0;
    world.pass(arrivesAfterMs);
    world.givePropose(NODE, leader, proposalOf('normal', block));
    world.pass(FINAL_AFTER_MS - arrivesAfterMs);
    give(world, NODE, leader, certificateOf(notarize(block), OTHERS), certificateOf(certify(block), OTHERS));
  }
  return { chain, leads: at };
}

/** ms from the last block's arrival to the own one above it. */
function ownAfterMs(world: CoreWorld, leads: number): number {
  for (let waitedMs = FINAL_AFTER_MS; waitedMs < 1_000; waitedMs += 10) {
    if (world.effects(NODE, 'propose').some(({ block }) => block.view === leads)) return waitedMs;
    world.pass(10);
  }
  throw new Error('it proposes nothing');
}

describe('a leader’s block interval', () => {
  const options = { minBlockIntervalMs: INTERVAL_MS };

  it('is the configured interval while block latency is constant', () => {
    const world = createCoreWorld({ cores: [NODE], options });
    const { leads } = play(world, GENESIS, 40);
    expect(ownAfterMs(world, leads)).toBe(INTERVAL_MS);
  });

  it('is not lengthened by a leader that sends its blocks to this node only shortly before they are final', () => {
    const world = createCoreWorld({ cores: [NODE], options });
    const { chain, leads } = play(world, GENESIS, 40, OTHERS[0]);
    give(world, NODE, OTHERS[1] as number, certificateOf(nullify(leads), OTHERS));
    const after = play(world, chain.at(-1) as Block, 20);
    expect(ownAfterMs(world, after.leads)).toBe(INTERVAL_MS);
  });

  it('is not lengthened by a block fetched after its finalization: this node did not wait for it', () => {
    const world = createCoreWorld({ cores: [NODE], options });
    const { chain, leads } = play(world, GENESIS, 8);
    give(world, NODE, OTHERS[0] as number, certificateOf(nullify(leads), OTHERS));
    const leader = world.leaderOf(leads + 1);
    const fetched = blockOn(chain.at(-1) as Block, leads + 1, leader);
    give(world, NODE, leader, certificateOf(notarize(fetched), OTHERS), certificateOf(finalize(fetched), OTHERS));
    const query = { type: 'block', blockId: blockIdOf(fetched) } as const;
    expect(world.effects(NODE, 'fetch').map((fetch) => fetch.query)).toContainEqual(query);
    world.step(NODE, { type: 'fetched', query, from: peerOf(leader), blocks: [fetched], certificates: [] });
    expect(world.effects(NODE, 'finalized').at(-1)?.block).toEqual(fetched);
    const after = play(world, fetched, 40);
    expect(ownAfterMs(world, after.leads)).toBe(INTERVAL_MS);
  });

  /** What waited while the node stood still: each proposal and what makes it final, within a millisecond. */
  function backlog(world: CoreWorld, parent: Block, blocks: number): { readonly last: Block; readonly next: number } {
    let last = parent;
    let at = parent.view + 1;
    for (let taken = 0; taken < blocks; at++) {
      const leader = world.leaderOf(at);
      if (leader === NODE) {
        give(world, NODE, OTHERS[0] as number, certificateOf(nullify(at), OTHERS));
        continue;
      }
      last = blockOn(last, at, leader);
      taken++;
      world.givePropose(NODE, leader, proposalOf('normal', last));
      world.pass(1);
      give(world, NODE, leader, certificateOf(notarize(last), OTHERS), certificateOf(certify(last), OTHERS));
    }
    return { last, next: at };
  }

  it.each([1, 3, 100])('is not lengthened by a backlog of %i blocks after a pause of the node', (blocks) => {
    const world = createCoreWorld({ cores: [NODE], options });
    const { chain } = play(world, GENESIS, 40);
    const own = chain.at(-1) as Block;
    // It led the view that `play` ended before.
    give(world, NODE, OTHERS[0] as number, certificateOf(nullify(own.view + 1), OTHERS));
    const { last } = backlog(world, own, blocks);
    const after = play(world, last, 40);
    expect(ownAfterMs(world, after.leads)).toBe(INTERVAL_MS);
  });

  it('is not lengthened by the blocks of a start-up catch-up', () => {
    const world = createCoreWorld({ cores: [NODE], options });
    const { last } = backlog(world, GENESIS, 5);
    const after = play(world, last, 40);
    expect(ownAfterMs(world, after.leads)).toBe(INTERVAL_MS);
  });
});
