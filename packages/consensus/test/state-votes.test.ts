/** Rule 7 of consensus.md on cores alone: which state votes are sent, and which again. */
import { type Block, blockIdOf } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { LOCAL_OPTIONS } from '../src/index.ts';
import { bystander, give, kinds } from './bystander.ts';
import {
  blockOn,
  type CoreWorld,
  certificateOf,
  certify,
  createCoreWorld,
  finalize,
  GENESIS,
  notarize,
  peerOf,
  proposalOf,
} from './core-world.ts';

describe('rule 7: a state vote is sent again every retryMs', () => {
  it('unless its block is younger than that', () => {
    const world = createCoreWorld({ options: { leaderTimeoutMs: 9000, viewTimeoutMs: 9500 } });
    const { first, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    const resent = () =>
      world.sent.filter(
        ({ from, resent, frame }) => from === node && resent && frame?.votes[0]?.subject.kind === 'certify',
      );
    world.pass(200);
    world.givePropose(node, first, proposalOf('normal', block));
    give(world, node, first, certificateOf(finalize(block), others));
    expect(kinds(world, node)).toContain('certify');
    world.pass(100);
    expect(resent()).toHaveLength(0);
    world.pass(250);
    expect(resent()).toHaveLength(1);
  });
});

describe('rule 7: state votes of one view', () => {
  const fetched = (world: CoreWorld, node: number, from: number, block: Block) => {
    const query = { type: 'block', blockId: blockIdOf(block) } as const;
    world.step(node, { type: 'fetched', query, from: peerOf(from), blocks: [block], certificates: [] });
  };

  it('are for one block: a node that learns that a rival of its block is final stops before it signs (I5)', () => {
    const world = createCoreWorld();
    const { first, second, node, others } = bystander(world);
    const [block, rival] = [blockOn(GENESIS, 1, first), blockOn(GENESIS, 1, first, 3)];
    const child = blockOn(rival, 2, second);
    world.givePropose(node, first, proposalOf('normal', block));
    give(world, node, first, certificateOf(notarize(block), others));
    expect(world.votes(node)).toContainEqual(certify(block));
    give(world, node, first, certificateOf(finalize(child), others));
    fetched(world, node, first, child);
    expect(() => fetched(world, node, first, rival)).toThrow('I5');
    expect(world.votes(node)).not.toContainEqual(certify(rival));
  });

  it('are not sent for a view below the retained ones, of which own votes are not known any more', () => {
    const world = createCoreWorld();
    const { first, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    const late = 1 + LOCAL_OPTIONS.retentionViews + 1;
    const child = blockOn(block, late, world.leaderOf(late));
    world.givePropose(node, first, proposalOf('normal', block));
    give(world, node, first, certificateOf(finalize(child), others));
    fetched(world, node, first, child);
    world.pass(10);
    expect(world.effects(node, 'finalized').map(({ block: { view } }) => view)).toEqual([1, late]);
    expect(world.votes(node).filter(({ kind }) => kind === 'certify')).toEqual([certify(child)]);
  });
});
