/** Blocks that are invalid by their payload, or by their place above their parent: who is blamed for one, on cores alone. */
import { type Block, blockIdOf, height, view } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { bystander, give, kinds } from './bystander.ts';
import { blockOn, certificateOf, createCoreWorld, GENESIS, notarize, peerOf, proposalOf } from './core-world.ts';

const INVALID = { type: 'invalid', reason: 'a reason', offence: 'invalid-certificate' } as const;

describe('an invalid payload', () => {
  it('gets no vote, and the leader that signed it is blocked with the reason', () => {
    const world = createCoreWorld({ holdPayload: () => true });
    const { first, node } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    world.givePropose(node, first, proposalOf('normal', block));
    world.step(node, { type: 'payload-checked', blockId: blockIdOf(block), verdict: INVALID });
    expect(kinds(world, node)).toEqual([]);
    expect(world.core(node).status().blocked).toEqual([first]);
    expect(world.effects(node, 'block-peer')).toMatchObject([
      { peer: peerOf(first), reason: 'invalid-certificate', detail: expect.stringContaining('a reason') },
    ]);
  });

  it('blames a leader only once its signature is verified', () => {
    const world = createCoreWorld({ holdPayload: () => true });
    const { first, node } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    const blockId = blockIdOf(block);
    const query = { type: 'block', blockId } as const;
    world.step(node, { type: 'fetched', query, from: peerOf(first), blocks: [block], certificates: [] });
    world.step(node, { type: 'payload-checked', blockId, verdict: INVALID });
    expect(world.core(node).status().blocked).toEqual([]);
    world.givePropose(node, first, proposalOf('normal', block));
    expect(world.core(node).status().blocked).toEqual([first]);
  });

  it('blames no peer when a quorum voted for it: then the fault is in this node', () => {
    const world = createCoreWorld({ holdPayload: () => true });
    const { first, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    world.givePropose(node, first, proposalOf('normal', block));
    give(world, node, first, certificateOf(notarize(block), others));
    world.step(node, { type: 'payload-checked', blockId: blockIdOf(block), verdict: INVALID });
    expect(world.core(node).status().blocked).toEqual([]);
  });
});

describe('a block that does not follow its parent', () => {
  const spoilt: readonly (readonly [string, (block: Block) => Block])[] = [
    ['in height', (block) => ({ ...block, height: height(2 ** 50) })],
    ['in time', (block) => ({ ...block, timestampMs: GENESIS.timestampMs })],
  ];

  const touched = (world: ReturnType<typeof createCoreWorld>, node: number) =>
    (['execute', 'check-payload', 'persist-block'] as const).flatMap((type) => world.effects(node, type));

  it.each(spoilt)('%s is neither logged nor executed, and the leader that signed it is blocked', (_how, spoil) => {
    const world = createCoreWorld();
    const { first, node } = bystander(world);
    world.givePropose(node, first, proposalOf('normal', spoil(blockOn(GENESIS, 1, first))));
    expect(kinds(world, node)).toEqual([]);
    expect(touched(world, node)).toEqual([]);
    expect(world.core(node).status().blocked).toEqual([first]);
    expect(world.effects(node, 'block-peer')).toMatchObject([{ peer: peerOf(first), reason: 'malformed-frame' }]);
  });

  it('in its parent’s view is rejected too, and so is a child of it', () => {
    const world = createCoreWorld();
    const { first, second, node, others } = bystander(world);
    const parent = blockOn(GENESIS, 1, first);
    const block = { ...blockOn(parent, 2, second), parentView: view(0) };
    world.givePropose(node, first, proposalOf('normal', parent));
    const before = touched(world, node).length;
    world.givePropose(node, second, proposalOf('normal', block));
    world.givePropose(node, world.leaderOf(3), proposalOf('optimistic', blockOn(block, 3, world.leaderOf(3))));
    give(world, node, first, certificateOf(notarize(parent), others));
    expect(touched(world, node)).toHaveLength(before);
    expect(world.core(node).status().blocked).toEqual([second]);
  });

  it('blames no leader whose signature was not verified: any peer can put any proposer into a body', () => {
    const world = createCoreWorld();
    const { first, node, others } = bystander(world);
    const [server] = others.filter((member) => member !== first) as [number];
    const block = { ...blockOn(GENESIS, 1, first), height: height(2 ** 50) };
    const query = { type: 'block', blockId: blockIdOf(block) } as const;
    world.step(node, { type: 'fetched', query, from: peerOf(server), blocks: [block], certificates: [] });
    expect(touched(world, node)).toEqual([]);
    expect(world.core(node).status().blocked).toEqual([]);
  });

  it('that arrived before its parent is rejected once the parent arrives', () => {
    const world = createCoreWorld();
    const { first, second, node } = bystander(world);
    const parent = blockOn(GENESIS, 1, first);
    world.givePropose(node, second, proposalOf('optimistic', { ...blockOn(parent, 2, second), height: height(7) }));
    expect(world.core(node).status().blocked).toEqual([]);
    world.givePropose(node, first, proposalOf('normal', parent));
    expect(world.core(node).status().blocked).toEqual([second]);
  });
});
