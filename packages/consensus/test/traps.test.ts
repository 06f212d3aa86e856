/** Traps: each livelocked or broke an earlier version of the rules. */
import { blockIdOf, view } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { NOTHING_RESTORED } from '../src/index.ts';
import {
  blockOn,
  certificateOf,
  certify,
  createCoreWorld,
  finalize,
  GENESIS,
  notarize,
  nullify,
  peerOf,
  proposalOf,
  voteOf,
} from './core-world.ts';

/** Committee of four whose leaders of views 1, 2, 3, 4 are all different. */
function leadersOf(world: ReturnType<typeof createCoreWorld>) {
  return [1, 2, 3, 4].map((at) => world.leaderOf(at)) as [number, number, number, number];
}

describe('trap: finalization first', () => {
  it('a node that gets only the Finalization of a view enters the next one (rule 1)', () => {
    const world = createCoreWorld();
    const [leader] = leadersOf(world);
    const third = [0, 1, 2, 3].find((member) => member !== leader) as number;
    const block = blockOn(GENESIS, 1, leader);
    const signers = [0, 1, 2, 3].filter((member) => member !== third);
    world.give(third, leader, { certificates: [certificateOf(finalize(block), signers)] });
    expect(world.core(third).status().view).toBe(2);
    expect(world.effects(third, 'fetch').map(({ query }) => query.type)).toContain('block');
  });
});

describe('trap: far ahead', () => {
  it('a node enters a view far above every buffer by a certificate alone (rule 9)', () => {
    const world = createCoreWorld();
    world.give(0, 1, { certificates: [certificateOf(nullify(100_000), [1, 2, 3])] });
    expect(world.core(0).status().view).toBe(100_001);
  });

  it('the highest of certificates beyond the buffers still opens the view after older ones are forgotten', () => {
    const world = createCoreWorld();
    const block = blockOn(GENESIS, 90_000, world.leaderOf(90_000));
    world.givePropose(0, block.proposer === 0 ? 1 : block.proposer, proposalOf('normal', block));
    world.give(0, 1, { certificates: [certificateOf(finalize(block), [1, 2, 3])] });
    world.give(0, 1, { certificates: [certificateOf(nullify(200_000), [1, 2, 3])] });
    expect(world.core(0).status().view).toBe(200_001);
  });
});

describe('trap: certified through a descendant', () => {
  const setUp = () => {
    const world = createCoreWorld();
    const [a, b, c] = leadersOf(world);
    const node = [0, 1, 2, 3].find((member) => ![a, b, c].includes(member)) as number;
    const first = blockOn(GENESIS, 1, a);
    const fork = blockOn(GENESIS, 2, b, 5);
    const descendant = blockOn(first, 3, c);
    const others = [a, b, c].sort();
    world.givePropose(node, a, proposalOf('normal', first));
    world.givePropose(node, b, proposalOf('normal', fork, [certificateOf(nullify(1), others)]));
    world.givePropose(node, c, proposalOf('normal', descendant));
    return { world, node, first, fork, descendant, others, a };
  };

  it('a fork that was notarized between a block and its final descendant is legal', () => {
    const { world, node, first, fork, descendant, others, a } = setUp();
    const certificates = [
      certificateOf(notarize(first), others),
      certificateOf(notarize(fork), others),
      certificateOf(nullify(2), others),
      certificateOf(finalize(descendant), others),
      certificateOf(certify(first), others),
    ];
    for (const certificate of certificates) world.give(node, a, { certificates: [certificate] });
    const final = world.effects(node, 'finalized').map(({ blockId }) => blockId);
    expect(final).toEqual([blockIdOf(first), blockIdOf(descendant)]);
    expect(world.core(node).status().certifiedHeight).toBe(1);
  });

  it('a fork is legal also when the state certificate arrives before its notarization is known', () => {
    const { world, node, first, fork, descendant, others, a } = setUp();
    for (const subject of [certify(first), notarize(fork), nullify(2), finalize(descendant)]) {
      world.give(node, a, { certificates: [certificateOf(subject, others)] });
    }
    expect(world.core(node).status().finalizedHeight).toBe(2);
  });
});

describe('trap: unresponsive proposer', () => {
  it('a parent that only the proposer showed is requested again and again, and another proposal gets a vote', () => {
    const world = createCoreWorld();
    const [first, second] = leadersOf(world);
    const node = [0, 1, 2, 3].find((member) => member !== first && member !== second) as number;
    const others = [0, 1, 2, 3].filter((member) => member !== node);
    const hidden = blockOn(GENESIS, 1, first);
    world.givePropose(node, second, proposalOf('optimistic', blockOn(hidden, 2, second)));
    world.give(node, first, { certificates: [certificateOf(nullify(1), others)] });
    expect(world.votes(node)).toEqual([]);
    world.givePropose(
      node,
      second,
      proposalOf('normal', blockOn(GENESIS, 2, second, 7), [certificateOf(nullify(1), others)]),
    );
    expect(world.votes(node).map(({ kind }) => kind)).toEqual(['notarize']);
  });

  it('a missing notarized block is requested every retryMs until a peer has it', () => {
    const world = createCoreWorld();
    const [leader] = leadersOf(world);
    const node = [0, 1, 2, 3].find((member) => member !== leader) as number;
    const signers = [0, 1, 2, 3].filter((member) => member !== node);
    const block = blockOn(GENESIS, 1, leader);
    world.give(node, leader, { certificates: [certificateOf(notarize(block), signers)] });
    world.pass(1000);
    const asked = world.effects(node, 'fetch').filter(({ query }) => query.type === 'block');
    expect(asked.length).toBeGreaterThan(2);
    const query = { type: 'block', blockId: blockIdOf(block) } as const;
    world.step(node, { type: 'fetched', query, from: peerOf(signers[0] as number), blocks: [block], certificates: [] });
    expect(world.votes(node).map(({ kind }) => kind)).toContain('finalize');
  });
});

describe('trap: stale mark', () => {
  it('a core that may not trust its log signs nothing at or below the mark, and signs above it', () => {
    const world = createCoreWorld({ setting: (member) => (member === 0 ? { refuseUpToView: 70 } : {}) });
    const others = [1, 2, 3];
    for (const at of [3, 5, 69]) {
      world.give(0, 1, { certificates: [certificateOf(nullify(at), others)] });
      world.pass(3000);
    }
    expect(world.votes(0)).toEqual([]);
    world.give(0, 1, { certificates: [certificateOf(nullify(70), others)] });
    world.pass(12_000);
    expect(world.votes(0)).toContainEqual(nullify(71));
  });
});

describe('trap: replayed proposal', () => {
  it('a leader that restarts after its optimistic proposal sends that one again and builds no other', () => {
    const probe = createCoreWorld();
    const [first, second] = leadersOf(probe);
    const parent = blockOn(GENESIS, 1, first);
    const child = blockOn(parent, 2, second);
    const proposal = proposalOf('optimistic', child);
    const world = createCoreWorld({
      setting: (member) =>
        member === second
          ? {
              restored: {
                ...NOTHING_RESTORED,
                blocks: [parent, child].map((block) => ({ block, blockId: blockIdOf(block) })),
                votes: [voteOf(notarize(parent), second)],
                proposals: [proposal],
              },
            }
          : {},
    });
    const sent = world.sent.filter(({ from }) => from === second);
    expect(sent.filter(({ resent }) => resent).flatMap((each) => each.proposal ?? [])).toEqual([proposal]);
    const others = [0, 1, 2, 3].filter((member) => member !== second);
    world.give(second, first, { certificates: [certificateOf(notarize(parent), others)] });
    expect(world.effects(second, 'build-payload').filter(({ request }) => request.view === view(2))).toEqual([]);
    expect(world.effects(second, 'cast').flatMap(({ confirm }) => confirm?.blockId ?? [])).toEqual([blockIdOf(child)]);
  });
});

describe('trap: late executor', () => {
  it('certifies a block once, long after it became final', () => {
    const world = createCoreWorld({ holdExecution: () => true });
    const [leader] = leadersOf(world);
    const node = [0, 1, 2, 3].find((member) => member !== leader) as number;
    const others = [0, 1, 2, 3].filter((member) => member !== node);
    const block = blockOn(GENESIS, 1, leader);
    world.givePropose(node, leader, proposalOf('normal', block));
    world.give(node, leader, { certificates: [certificateOf(finalize(block), others)] });
    world.give(node, leader, { certificates: [certificateOf(nullify(60), others)] });
    world.pass(20_000);
    const { stateDigest } = certify(block);
    for (let i = 0; i < 2; i++) world.step(node, { type: 'executed', blockId: blockIdOf(block), digest: stateDigest });
    expect(world.votes(node).filter(({ kind }) => kind === 'certify')).toEqual([certify(block)]);
  });
});

describe('trap: restart in a view that was entered by a nullification', () => {
  const restart = () => {
    const probe = createCoreWorld();
    const [first, second] = leadersOf(probe);
    const node = [0, 1, 2, 3].find((member) => member !== first && member !== second) as number;
    const others = [0, 1, 2, 3].filter((member) => member !== node);
    const certificates = [certificateOf(nullify(1), others)];
    const votes = [voteOf(nullify(1), node), voteOf(nullify(2), node)];
    const world = createCoreWorld({
      setting: (member) => (member === node ? { restored: { ...NOTHING_RESTORED, certificates, votes } } : {}),
    });
    return { world, node, certificates };
  };

  it('its repeated Nullify carries the certificate that entered the view (rule 5), so that others can follow', () => {
    const { world, node, certificates } = restart();
    expect(world.core(node).status().view).toBe(2);
    world.pass(1000);
    const resent = world.effects(node, 'resend').filter(({ frame }) => frame.votes.length > 0);
    expect(resent.length).toBeGreaterThan(0);
    for (const { frame } of resent) expect(frame.certificates).toEqual(certificates);
  });
});
