/** Payloads that no block may have: who is blamed for one, on cores alone. */
import { blockIdOf } from '@slipstream/types';
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

  it('blames nobody whose signature under it was not seen, and its leader once it is', () => {
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

  it('blames nobody when a quorum called it valid: then what is wrong is here', () => {
    const world = createCoreWorld({ holdPayload: () => true });
    const { first, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    world.givePropose(node, first, proposalOf('normal', block));
    give(world, node, first, certificateOf(notarize(block), others));
    world.step(node, { type: 'payload-checked', blockId: blockIdOf(block), verdict: INVALID });
    expect(world.core(node).status().blocked).toEqual([]);
  });
});
