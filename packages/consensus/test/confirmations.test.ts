/** What a leader may confirm (rules 3 and 4): the block that it made for this view, and no other. */
import {
  BLS_SIGNATURE_BYTES,
  type Block,
  type BlockId,
  blockIdOf,
  GENESIS_EPOCH,
  hexOf,
  view,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { type Effect, NOTHING_RESTORED } from '../src/index.ts';
import { ALL, bystander, give, kinds } from './bystander.ts';
import {
  blockOn,
  type CoreWorld,
  certificateOf,
  createCoreWorld,
  finalize,
  GENESIS,
  mark,
  notarize,
  nullify,
  peerOf,
  proposalOf,
  voteOf,
} from './core-world.ts';

const confirm = (at: number, blockId: BlockId) => ({
  confirmations: [{ epoch: GENESIS_EPOCH, view: view(at), blockId, signature: mark(BLS_SIGNATURE_BYTES) }],
});

/** A node in view 2 that has the block of view 1; the leader of view 2 is the test's to play. */
function inView2() {
  const leader = createCoreWorld().leaderOf(2);
  const honest = ALL.filter((member) => member !== leader);
  const world = createCoreWorld({ cores: honest });
  const first = world.leaderOf(1);
  world.settle(honest, ({ proposal }) => proposal?.block.view === 1);
  const block = world.effects(first, 'propose')[0]?.block as Block;
  for (const node of honest) give(world, node, leader, certificateOf(notarize(block), honest));
  const node = honest.find((member) => member !== first) as number;
  return { world, leader, honest, first, node, block };
}

function serve(world: CoreWorld, node: number, from: number, block: Block): void {
  const query = { type: 'block', blockId: blockIdOf(block) } as const;
  world.step(node, { type: 'fetched', query, from: peerOf(from), blocks: [block], certificates: [] });
}

const votesIn2 = (world: CoreWorld, node: number) =>
  world.votes(node).filter((vote) => vote.kind === 'notarize' && vote.view === 2);

const asksFor = (world: CoreWorld, node: number, id: BlockId) =>
  world.effects(node, 'fetch').some(({ query }) => query.type === 'block' && hexOf(query.blockId) === hexOf(id));

describe('a leader that confirms a block of an earlier view', () => {
  it('that this node has gets no vote and is blocked, and nothing of it is relayed to followers', () => {
    const { world, leader, node, block } = inView2();
    const passedOn = world.effects(node, 'relay-proposal').length;
    world.give(node, leader, confirm(2, blockIdOf(block)));
    expect(votesIn2(world, node)).toEqual([]);
    expect(world.core(node).status().blocked).toEqual([leader]);
    expect(world.effects(node, 'relay-proposal')).toHaveLength(passedOn);
  });

  it('costs its own view, and the chain continues', () => {
    const { world, leader, honest, first, block } = inView2();
    for (const node of honest) world.give(node, leader, confirm(2, blockIdOf(block)));
    const height = () => world.core(first).status().finalizedHeight;
    for (let i = 0; i < 60 && height() <= 3; i++) {
      world.settle();
      world.pass(50);
    }
    expect(height()).toBeGreaterThan(3);
  });

  it('before its view begins is blocked as well, and gets no vote in its view', () => {
    const world = createCoreWorld();
    const { first, second, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    world.givePropose(node, first, proposalOf('normal', block));
    world.give(node, second, confirm(2, blockIdOf(block)));
    give(world, node, first, certificateOf(notarize(block), others));
    expect(votesIn2(world, node)).toEqual([]);
    expect(world.core(node).status().blocked).toEqual([second]);
  });

  it('that it invented is blocked once the body arrives, and a rival of a block with Finalize votes gets no vote', () => {
    const { world, leader, honest, block } = inView2();
    const rival = blockOn(GENESIS, 1, leader, 7);
    for (const node of honest) {
      expect(world.votes(node)).toContainEqual(finalize(block));
      world.give(node, leader, confirm(2, blockIdOf(rival)));
      expect(asksFor(world, node, blockIdOf(rival))).toBe(true);
      serve(world, node, leader, rival);
      expect(votesIn2(world, node)).toEqual([]);
      expect(world.core(node).status().blocked).toEqual([leader]);
    }
  });

  it('that arrives later as the proposal of its own view is blocked then; the proposer of that block is not', () => {
    const world = createCoreWorld();
    const { first, second, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    give(world, node, first, certificateOf(notarize(block), others));
    world.give(node, second, confirm(2, blockIdOf(block)));
    expect(world.core(node).status().blocked).toEqual([]);
    world.givePropose(node, first, proposalOf('normal', block));
    expect(world.core(node).status().blocked).toEqual([second]);
    expect(votesIn2(world, node)).toEqual([]);
  });
});

it.each([
  ['of another proposer', (block: Block, first: number) => ({ ...block, proposer: first })],
  ['of a later view', (block: Block) => ({ ...block, view: view(2 ** 40) })],
  ['whose parent is of its own view', (block: Block) => ({ ...block, parentView: view(2) })],
])('a leader that confirms a block %s is blocked once the body arrives', (_what, spoil) => {
  const { world, leader, first, node, block } = inView2();
  const made = spoil(blockOn(block, 2, leader), first);
  world.give(node, leader, confirm(2, blockIdOf(made)));
  serve(world, node, leader, made);
  expect(votesIn2(world, node)).toEqual([]);
  expect(world.core(node).status().blocked).toEqual([leader]);
});

describe('an honest leader’s confirmation', () => {
  it('of a lost optimistic proposal gets a vote once the body arrives from any peer', () => {
    const { world, leader, first, node, block } = inView2();
    const child = blockOn(block, 2, leader);
    world.give(node, leader, confirm(2, blockIdOf(child)));
    serve(world, node, first, child);
    expect(votesIn2(world, node)).toEqual([notarize(child)]);
    expect(world.core(node).status().blocked).toEqual([]);
  });

  it('that overtakes its optimistic proposal, or arrives before its view, blocks no peer', () => {
    const world = createCoreWorld();
    const { first, second, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    const child = blockOn(block, 2, second);
    world.give(node, second, confirm(2, blockIdOf(child)));
    world.givePropose(node, second, proposalOf('optimistic', child));
    world.givePropose(node, first, proposalOf('normal', block));
    give(world, node, first, certificateOf(notarize(block), others));
    expect(kinds(world, node)).toContain('notarize');
    expect(votesIn2(world, node)).toEqual([notarize(child)]);
    expect(world.core(node).status().blocked).toEqual([]);
  });

  it('after a restart, for a proposal that is in its log, blocks no peer', () => {
    const probe = createCoreWorld();
    const { first, second, node } = bystander(probe);
    const block = blockOn(GENESIS, 1, first);
    const child = blockOn(block, 2, second);
    const world = createCoreWorld({
      setting: (member) =>
        member === second
          ? {
              restored: {
                ...NOTHING_RESTORED,
                blocks: [block, child].map((each) => ({ block: each, blockId: blockIdOf(each) })),
                votes: [voteOf(notarize(block), second)],
                proposals: [proposalOf('optimistic', child)],
              },
            }
          : {},
    });
    world.givePropose(node, first, proposalOf('normal', block));
    const signers = ALL.filter((member) => member !== second);
    for (const member of [node, second]) give(world, member, first, certificateOf(notarize(block), signers));
    expect(world.effects(second, 'cast').flatMap(({ confirm }) => confirm?.blockId ?? [])).toEqual([blockIdOf(child)]);
    world.deliver([node], ({ from }) => from === second);
    expect(votesIn2(world, node)).toEqual([notarize(child)]);
    expect(world.core(node).status().blocked).toEqual([]);
  });

  it('carries the vote in a view that was entered by a nullification', () => {
    const world = createCoreWorld();
    const { first, second, node, others } = bystander(world);
    const block = blockOn(GENESIS, 1, first);
    const child = blockOn(block, 2, second);
    world.givePropose(node, first, proposalOf('normal', block));
    world.givePropose(node, second, proposalOf('optimistic', child));
    give(world, node, first, certificateOf(nullify(1), others));
    expect(votesIn2(world, node)).toEqual([]);
    world.give(node, second, {
      certificates: [certificateOf(notarize(block), others)],
      ...confirm(2, blockIdOf(child)),
    });
    expect(votesIn2(world, node)).toEqual([notarize(child)]);
  });
});

it('two blocks notarized for one view stop the core: more than a third of the weight is faulty', () => {
  const world = createCoreWorld();
  const { first, node, others } = bystander(world);
  const block = blockOn(GENESIS, 1, first);
  world.givePropose(node, first, proposalOf('normal', block));
  const wrong = certificateOf(
    { kind: 'notarize', epoch: GENESIS_EPOCH, view: view(2), blockId: blockIdOf(block) },
    others,
  );
  expect(() => give(world, node, first, wrong)).toThrow('what is notarized in view 2 is of it, not of 1');
});

it('a confirmation with a bad signature removes no block of another leader, whenever its check ends', () => {
  const world = createCoreWorld();
  const { first, second, node } = bystander(world);
  const block = blockOn(GENESIS, 1, first);
  const bad = {
    epoch: GENESIS_EPOCH,
    view: view(2),
    blockId: blockIdOf(block),
    signature: mark(BLS_SIGNATURE_BYTES, false),
  };
  const frame = { votes: [], certificates: [], confirmations: [bad] };
  const checks = world.core(node).step({ type: 'consensus-frame', from: peerOf(second), frame }, world.nowMs, 0);
  const check = checks.find(({ type }) => type === 'verify') as Extract<Effect, { type: 'verify' }>;
  world.givePropose(node, first, proposalOf('normal', block));
  expect(kinds(world, node)).toEqual(['notarize']);
  world.step(node, { type: 'verified', token: check.token, verdict: { type: 'votes', valid: [false] } });
  expect(world.core(node).status().blocked).toEqual([second]);
  expect(world.core(node).blockById(blockIdOf(block))).toBeDefined();
});
