/** Rule 4a: a vote for the child of one's own vote, before its view is entered. */
import { type Block, blockIdOf } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { type CoreSetting, NOTHING_RESTORED } from '../src/index.ts';
import {
  blockOn,
  certificateOf,
  createCoreWorld,
  GENESIS,
  notarize,
  nullify,
  proposalOf,
  voteOf,
} from './core-world.ts';

const EARLY = { earlyVoteViews: 1 } as const;

/** A core that leads neither of the views 1 to 3 (of seven members), with the blocks that their leaders propose. */
function setUp(options: { readonly earlyVoteViews: number } = EARLY, setting: Partial<CoreSetting> = {}) {
  const weights = [1, 1, 1, 1, 1, 1, 1];
  const world = createCoreWorld({ weights, options, setting: () => setting });
  const leaders = [1, 2, 3].map((at) => world.leaderOf(at)) as [number, number, number];
  const node = weights.findIndex((_, member) => !leaders.includes(member));
  const others = weights.map((_, member) => member).filter((member) => member !== node);
  const first = blockOn(GENESIS, 1, leaders[0]);
  const child = blockOn(first, 2, leaders[1]);
  const grandchild = blockOn(child, 3, leaders[2]);
  const show = (kind: 'normal' | 'optimistic', block: Block) =>
    world.givePropose(node, block.proposer, proposalOf(kind, block));
  return { world, node, leaders, others, first, child, grandchild, show };
}

describe('rule 4a: an early Notarize', () => {
  it('is sent for the child of an own vote, before the view is entered', () => {
    const { world, node, first, child, show } = setUp();
    show('normal', first);
    show('optimistic', child);
    expect(world.core(node).status().view).toBe(1);
    expect(world.votes(node)).toEqual([notarize(first), notarize(child)]);
  });

  it('is not sent when the option is off', () => {
    const { world, node, first, child, show } = setUp({ earlyVoteViews: 0 });
    show('normal', first);
    show('optimistic', child);
    expect(world.votes(node)).toEqual([notarize(first)]);
  });

  it('is not sent for a child of another block than the one voted for', () => {
    const { world, node, leaders, first, show } = setUp();
    show('normal', first);
    show('optimistic', blockOn(blockOn(GENESIS, 1, leaders[0], 5), 2, leaders[1]));
    expect(world.votes(node)).toEqual([notarize(first)]);
  });

  it('is not sent two views ahead', () => {
    const { world, node, first, child, grandchild, show } = setUp();
    show('normal', first);
    show('optimistic', child);
    show('optimistic', grandchild);
    expect(world.votes(node)).toHaveLength(2);
    world.give(node, first.proposer, {
      certificates: [certificateOf(notarize(first), [0, 1, 2, 3, 4, 5, 6])],
    });
    expect(world.votes(node)).toContainEqual(notarize(grandchild));
  });

  it('leaves Nullify of both views possible, and is not sent after a Nullify', () => {
    const { world, node, others, first, child, grandchild, show } = setUp();
    show('normal', first);
    show('optimistic', child);
    world.pass(1000);
    expect(world.votes(node)).toContainEqual(nullify(1));
    world.give(node, first.proposer, { certificates: [certificateOf(nullify(1), others)] });
    show('optimistic', grandchild);
    world.pass(1000);
    expect(world.votes(node)).toEqual([notarize(first), notarize(child), nullify(1), nullify(2)]);
  });

  it('is not sent in a view that was entered by a nullification', () => {
    const { world, node, others, leaders, show } = setUp();
    world.give(node, leaders[0], { certificates: [certificateOf(nullify(1), others)] });
    const second = blockOn(GENESIS, 2, leaders[1]);
    show('normal', second);
    show('optimistic', blockOn(second, 3, leaders[2]));
    expect(world.votes(node)).toEqual([notarize(second)]);
  });

  it('is not sent on a block proposed normally after the first view: early votes may have split its view', () => {
    const { world, node, others, first, child, grandchild, show } = setUp();
    show('normal', first);
    world.give(node, first.proposer, { certificates: [certificateOf(notarize(first), others)] });
    show('normal', child);
    show('optimistic', grandchild);
    expect(world.votes(node)).toContainEqual(notarize(child));
    expect(world.votes(node)).not.toContainEqual(notarize(grandchild));
  });

  it('is not sent on a block of a leader whose earlier view was nullified', () => {
    const { world, node, others, leaders } = setUp();
    const again = Array.from({ length: 20 }, (_, i) => i + 3).find((at) => world.leaderOf(at) === leaders[0]) as number;
    const parent = blockOn(GENESIS, again - 1, world.leaderOf(again - 1));
    const block = blockOn(parent, again, leaders[0]);
    const next = blockOn(block, again + 1, world.leaderOf(again + 1));
    const nullified = Array.from({ length: again - 2 }, (_, i) => certificateOf(nullify(i + 1), others));
    for (const certificate of [...nullified, certificateOf(notarize(parent), others)]) {
      world.give(node, leaders[1], { certificates: [certificate] });
    }
    world.givePropose(node, parent.proposer, proposalOf('normal', parent));
    world.givePropose(node, block.proposer, proposalOf('optimistic', block));
    world.givePropose(node, next.proposer, proposalOf('optimistic', next));
    expect(world.votes(node)).toContainEqual(notarize(block));
    expect(world.votes(node)).not.toContainEqual(notarize(next));
  });

  it('lets the leader of the view after propose at once', () => {
    const { world, leaders, first, child } = setUp();
    world.givePropose(leaders[2], first.proposer, proposalOf('normal', first));
    world.givePropose(leaders[2], child.proposer, proposalOf('optimistic', child));
    expect(world.core(leaders[2]).status().view).toBe(1);
    expect(world.effects(leaders[2], 'propose')).toMatchObject([
      { kind: 'optimistic', block: { view: 3, parentId: blockIdOf(child) } },
    ]);
  });

  it('is binding after a restart, and is no sign that its view was entered', () => {
    const { node, leaders, first, child } = setUp();
    const votes = [voteOf(notarize(first), node), voteOf(notarize(child), node)];
    const blocks = [first, child].map((block) => ({ blockId: blockIdOf(block), block }));
    const { world, show } = setUp(EARLY, { restored: { ...NOTHING_RESTORED, votes, blocks } });
    expect(world.core(node).status().view).toBe(1);
    world.step(node, { type: 'signing-enabled', finalizedUpToView: 0 });
    show('optimistic', blockOn(first, 2, leaders[1], 9));
    world.pass(100);
    expect(world.effects(node, 'cast').flatMap(({ votes: cast }) => cast)).toEqual([]);
    world.pass(1000);
    expect(world.votes(node)).toContainEqual(nullify(1));
  });
});
